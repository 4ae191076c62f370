/** Breadths of letters as shares of their height: pictures are laid out before they are drawn. A bit too broad rather than cut. */
const NARROW = /[ijlt.,:;'|!()[\] fI]/;
const BROAD = /[mwMW@%]/;
const CAPITAL = /[A-Z0-9_&#$+=<>?~–…≈]/;
const SHARES = { narrow: 0.34, broad: 0.92, capital: 0.68, plain: 0.57, wide: 1 } as const;
/** From here on letters are as broad as they are high. */
const FIRST_WIDE = 0x2e80;

const known = new Map<string, number>();

function shareOf(letter: string): number {
  const before = known.get(letter);
  if (before !== undefined) return before;
  const share = measuredShare(letter);
  known.set(letter, share);
  return share;
}

function measuredShare(letter: string): number {
  if ((letter.codePointAt(0) ?? 0) >= FIRST_WIDE) return SHARES.wide;
  if (NARROW.test(letter)) return SHARES.narrow;
  if (BROAD.test(letter)) return SHARES.broad;
  return CAPITAL.test(letter) ? SHARES.capital : SHARES.plain;
}

export function textWidth(text: string, size = 11): number {
  let shares = 0;
  for (const letter of text) shares += shareOf(letter);
  return shares * size;
}

/** Shorter rooms keep only the beginning of a text. */
const LEAST_LETTERS = 9;

/** Cut with an ellipsis where it would be broader than the room: in its middle, so that texts that begin alike are told apart. */
export function elide(text: string, room: number, size = 11): string {
  if (textWidth(text, size) <= room) return text;
  const letters = Array.from(text);
  const left = room - textWidth("…", size);
  if (left < size * SHARES.plain) return "";
  const average = textWidth(text, size) / letters.length;
  const most = Math.floor(left / average);
  const tail = most < LEAST_LETTERS ? 0 : Math.floor(most * 0.4);
  const end = tail === 0 ? "" : letters.slice(-tail).join("");
  let head = Math.max(1, most - tail);
  while (head > 1 && textWidth(letters.slice(0, head).join("") + end, size) > left) head -= 1;
  return `${letters.slice(0, head).join("").trimEnd()}…${end.trimStart()}`;
}

/** What is read out of a number: exactly, and as its label shows it. */
export function spokenWords(exact: string, label: string): string {
  return exact.includes(label) ? exact : `${exact} (${label})`;
}

export function rowsWords(count: number): string {
  return count === 1 ? "1 row" : `${count.toLocaleString("en")} rows`;
}

/** How many rows are drawn, and of how many where some have no place in the picture. */
export function drawnWords(drawn: number, all: number): string {
  return drawn === all ? rowsWords(all) : `${drawn.toLocaleString("en")} of ${rowsWords(all)}`;
}

/** Why there is nothing to show. */
export function noRowsWords({ rowCount }: { readonly rowCount: number }): string {
  return rowCount === 0 ? "The table has no rows." : "All rows are filtered out.";
}

export function countWords(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`;
}
