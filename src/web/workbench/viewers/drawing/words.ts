/** Breadth of an average letter, as a share of its height: pictures are laid out before they are drawn. */
const LETTER = 0.56;

export function textWidth(text: string, size = 11): number {
  return text.length * size * LETTER;
}

/** Cut with an ellipsis where it would be broader than the room. */
export function elide(text: string, room: number, size = 11): string {
  const most = Math.floor(room / (size * LETTER));
  if (text.length <= most) return text;
  return most <= 1 ? "" : `${text.slice(0, most - 1)}…`;
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
