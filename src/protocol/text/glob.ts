/** Whether `text` matches `glob`: `*` stands for any characters, everything else for itself. */
export function globMatches(glob: string, text: string): boolean {
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) return text === glob;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  // The earliest match of each part leaves the most room for later ones, so one pass is enough.
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}
