/** Zero-width joiners are a part of ordinary words and emoji. */
const HARMLESS = new Set(["\n", "\t", "\u200c", "\u200d"]);
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Text from a model, a file or a program as it can be put on a terminal: whatever would move the cursor, change colours,
 * or hide and reorder what a person is about to agree to stands there as a visible sign.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    if (HARMLESS.has(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** One line of at most `characters`, with a mark where something was left out. */
export function oneLine(text: string, characters: number): string {
  const [first = "", ...rest] = text.trim().split("\n");
  const more = rest.length === 0 ? "" : ` (+${rest.length} ${rest.length === 1 ? "line" : "lines"})`;
  return `${clip(visible(first), characters)}${more}`;
}

export function clip(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const last = text.charCodeAt(characters - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters)}…`;
}
