/** A part of a long text. */
export interface TextPiece {
  readonly text: string;
  /** It begins within a line: the piece before did not reach the line's end. */
  readonly continues: boolean;
}

/** Splits a text into pieces of at most `chars` characters (2 or more): at line ends if possible, never within a character. */
export function piecesOf(text: string, chars: number): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + chars >= text.length ? text.length : cutBefore(text, at, at + chars);
    pieces.push({ text: text.slice(at, end), continues: at > 0 && text[at - 1] !== "\n" });
    at = end;
  }
  return pieces;
}

const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

function cutBefore(text: string, from: number, to: number): number {
  const line = text.lastIndexOf("\n", to - 1);
  if (line >= from) return line + 1;
  return HIGH_SURROGATE.test(text.charAt(to - 1)) ? to - 1 : to;
}
