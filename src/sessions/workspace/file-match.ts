/** Better than every match that is only spread over the path. */
const WHOLE = 1_000_000;

/** The files whose path contains the query's letters in order, best first; without a query, those nearest to the top. */
export function bestFiles(files: readonly string[], query: string, limit: number): readonly string[] {
  const wanted = query.trim().toLowerCase();
  const scored: { readonly file: string; readonly score: number }[] = [];
  for (const file of files) {
    const score = wanted === "" ? -file.split("/").length : scoreOf(file.toLowerCase(), wanted);
    if (score !== undefined) scored.push({ file, score });
  }
  scored.sort((one, other) => other.score - one.score || shorterFirst(one.file, other.file));
  return scored.slice(0, limit).map(({ file }) => file);
}

/** Higher is better; undefined: no match. */
function scoreOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === wanted || path === wanted) return WHOLE * 5;
  if (name.startsWith(wanted)) return WHOLE * 4;
  if (name.includes(wanted)) return WHOLE * 3;
  if (path.includes(wanted)) return WHOLE * 2;
  const inName = spreadOf(name, wanted);
  if (inName !== undefined) return WHOLE - inName;
  const inPath = spreadOf(path, wanted);
  return inPath === undefined ? undefined : -inPath;
}

/** How many letters lie between the query's letters; gaps before the start of a word do not count. */
function spreadOf(text: string, wanted: string): number | undefined {
  let place = -1;
  let spread = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, place + 1);
    if (next === -1) return undefined;
    const gap = place === -1 ? 0 : next - place - 1;
    if (gap > 0 && !isWordStart(text, next)) spread += gap;
    place = next;
  }
  return spread;
}

function isWordStart(text: string, place: number): boolean {
  return place === 0 || "/._- ".includes(text[place - 1] ?? "");
}

function shorterFirst(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
