import anser from "anser";

/** A piece of output with one look. Colours are CSS variables of the page, readable in light and dark; absent: the text's own. */
export interface Piece {
  readonly text: string;
  readonly color?: string;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
}

const NAMED = /^ansi-(?:bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/;

/** Output of a terminal as pieces with colours. Escapes that are no colours are left out. */
export function ansiPieces(text: string): readonly Piece[] {
  return anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true }).map((entry) => {
    const name = NAMED.exec(entry.fg)?.[1];
    return {
      text: entry.content,
      ...(name === undefined ? {} : { color: `var(--ansi-${name})` }),
      bold: entry.decorations.includes("bold"),
      dim: entry.decorations.includes("dim"),
      underline: entry.decorations.includes("underline"),
    };
  });
}
