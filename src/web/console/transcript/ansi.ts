import Anser from "anser";

/** A piece of output with one look. Colours are readable in light and dark; absent: the text's own. */
export interface StyledText {
  readonly text: string;
  readonly color?: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}

const NAMED = /^ansi-(?:bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/;
const PALETTE = /^ansi-palette-(\d{1,3})$/;
const RGB = /^(\d{1,3}), ?(\d{1,3}), ?(\d{1,3})$/;

/* oxlint-disable no-control-regex -- Escapes begin with one. */
const COLOURS = /\u001B\[[\d;]*m/g;
/** All other terminal controls: moves and erasures, titles and links, character sets. */
const OTHERS =
  /\u001B(?:\[(?![\d;]*m)[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])/g;
const RESET = /\u001B\[(?:0*;)*0*m/;
/* oxlint-enable no-control-regex */
/** How many of the newest escapes before a part count. */
const CARRIED = 200;

/** The colours active at the start of a line: the escapes before it, since the last reset. */
export function carriedTo(lines: readonly string[], from: number): string {
  const found: string[] = [];
  for (let index = from - 1; index >= 0 && found.length < CARRIED; index -= 1) {
    const line = lines[index] ?? "";
    if (!line.includes("\u001B[")) continue;
    const escapes = line.match(COLOURS) ?? [];
    const end = escapes.findLastIndex((escape) => RESET.test(escape));
    found.unshift(...escapes.slice(end + 1));
    if (end >= 0) break;
  }
  return found.slice(-CARRIED).join("");
}

/** Terminal output as coloured pieces. Escapes other than colours are dropped. */
export function ansiPieces(text: string): readonly StyledText[] {
  const [plain = "", ...coloured] = text.replaceAll(OTHERS, "").split("\u001B[");
  const reader = new Anser();
  const pieces: StyledText[] = plain === "" ? [] : [{ text: plain, bold: false, italic: false, underline: false }];
  for (const chunk of coloured) {
    // One by one: the reader's list of decorations still changes after it was returned.
    const entry = reader.processChunkJson(chunk, { json: true, use_classes: true }, true);
    if (entry.content !== "") pieces.push(pieceOf(entry));
  }
  return pieces;
}

function pieceOf({ content, fg, fg_truecolor, decorations }: ReturnType<Anser["processChunkJson"]>): StyledText {
  const color = colorOf(fg, fg_truecolor) ?? (decorations.includes("dim") ? "var(--faint)" : undefined);
  return {
    text: content,
    bold: decorations.includes("bold"),
    italic: decorations.includes("italic"),
    underline: decorations.includes("underline"),
    ...(color === undefined ? {} : { color }),
  };
}

type AnsiColor = readonly [number, number, number];

/** The eight named colours are the page's own; others are kept if they are readable. */
function colorOf(look: string | null, exact: string): string | undefined {
  if (look === null) return undefined;
  const name = NAMED.exec(look)?.[1];
  if (name !== undefined) return `var(--ansi-${name})`;
  const number = PALETTE.exec(look)?.[1];
  const rgb = number === undefined ? rgbOf(exact) : paletteColor(Number(number));
  if (rgb === undefined) return undefined;
  const own = `rgb(${rgb.join(" ")})`;
  const [light, dark] = [isReadable(rgb, ON_LIGHT), isReadable(rgb, ON_DARK)];
  if (!light && !dark) return undefined;
  return light && dark ? own : `light-dark(${light ? own : "currentColor"}, ${dark ? own : "currentColor"})`;
}

function rgbOf(text: string): AnsiColor | undefined {
  const found = RGB.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}

/** The six steps of the colour cube of 256 colours. */
const CUBE = [0, 95, 135, 175, 215, 255] as const;
const CUBE_FROM = 16;
const GREY_FROM = 232;

function paletteColor(number: number): AnsiColor | undefined {
  if (number < CUBE_FROM || number > 255) return undefined;
  if (number >= GREY_FROM) {
    const grey = 8 + 10 * (number - GREY_FROM);
    return [grey, grey, grey];
  }
  const place = number - CUBE_FROM;
  const step = (value: number): number => CUBE[value % CUBE.length] ?? 0;
  return [step(Math.floor(place / 36)), step(Math.floor(place / 6)), step(place)];
}

/** The background of output: `--sunken` of the page, in light and in dark. */
const ON_LIGHT: AnsiColor = [0xef, 0xed, 0xe8];
const ON_DARK: AnsiColor = [0x12, 0x11, 0x15];
/** WCAG AA for text. */
const CONTRAST = 4.5;

function isReadable(color: AnsiColor, ground: AnsiColor): boolean {
  const [one, other] = [brightness(color), brightness(ground)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) >= CONTRAST;
}

/** WCAG's relative luminance. */
function brightness([red, green, blue]: AnsiColor): number {
  const part = (value: number): number => {
    const share = value / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}
