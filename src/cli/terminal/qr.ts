/** Bright white on black, whatever the terminal's own colours are: cameras want light around dark. */
const COLOURS = "\u001B[97;40m";
const PLAIN = "\u001B[0m";
/** Modules of light around the code. */
const BORDER = 2;

/** A text as a QR code of half blocks, line by line. Empty: the terminal is too narrow for it. */
export async function qrLines(text: string, columns: number): Promise<readonly string[]> {
  const { renderUnicodeCompact } = await import("uqr");
  const lines = renderUnicodeCompact(text, { border: BORDER }).split("\n");
  if (lines.some((line) => line.length > columns)) return [];
  return lines.map((line) => COLOURS + line + PLAIN);
}
