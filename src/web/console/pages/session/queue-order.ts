/** The list with one entry moved one place up or down. At an end it stays as it is. */
export function moved(list: readonly string[], index: number, by: -1 | 1): readonly string[] {
  const [one, other] = [list[index], list[index + by]];
  if (one === undefined || other === undefined) return list;
  return list.with(index, other).with(index + by, one);
}
