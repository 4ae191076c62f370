import { FULL_TEXT_LIMITS } from "../../../protocol/limits/full-text.ts";
import type { SearchTerm } from "../../../protocol/index.ts";

interface Snippet {
  readonly snippet: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** The text around the first term, on one line, and where the terms are in it. */
export function snippetOf(text: string, terms: readonly SearchTerm[]): Snippet {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  const most = FULL_TEXT_LIMITS.searchSnippetChars;
  const first = Math.min(...terms.map((term) => placeOf(line, term)));
  const begin = Number.isFinite(first) ? beginOf(line, first, most) : 0;
  const end = endOf(line, begin, most);
  const cut = line.slice(begin, end);
  const snippet = `${begin > 0 ? "… " : ""}${cut}${end < line.length ? " …" : ""}`;
  return { snippet, marks: marksIn(snippet, terms) };
}

/** A third of the room stands before the hit, from the beginning of a word on. */
function beginOf(line: string, hit: number, most: number): number {
  const wanted = Math.max(0, Math.min(hit - Math.floor(most / 3), line.length - most));
  if (wanted === 0) return 0;
  const blank = line.indexOf(" ", wanted);
  return whole(line, blank === -1 || blank >= hit ? wanted : blank + 1);
}

function endOf(line: string, begin: number, most: number): number {
  if (line.length - begin <= most) return line.length;
  const blank = line.lastIndexOf(" ", begin + most);
  return whole(line, blank > begin + most / 2 ? blank : begin + most);
}

/** Never between the two halves of a character. */
function whole(line: string, at: number): number {
  const unit = line.charCodeAt(at);
  return unit >= 0xdc_00 && unit <= 0xdf_ff ? at - 1 : at;
}

function placeOf(line: string, term: SearchTerm): number {
  for (const pattern of patternsOf(term)) {
    const place = line.search(pattern);
    if (place >= 0) return place;
  }
  return Infinity;
}

/** As the index finds it: at the beginning of a word. Otherwise inside of one, as in `handleClick`. */
function patternsOf({ words, isPrefix }: SearchTerm): readonly RegExp[] {
  const text = words.join(String.raw`[^\p{L}\p{N}\p{M}]+`);
  const end = isPrefix ? String.raw`[\p{L}\p{N}\p{M}]*` : "";
  const start = String.raw`(?<![\p{L}\p{N}\p{M}])`;
  return [new RegExp(`${start}${text}${end}`, "giu"), new RegExp(text, "giu")];
}

function marksIn(snippet: string, terms: readonly SearchTerm[]): readonly (readonly [number, number])[] {
  const found = terms.flatMap((term) => {
    for (const pattern of patternsOf(term)) {
      const places = [...snippet.matchAll(pattern)].map(({ index, 0: text }) => [index, index + text.length] as const);
      if (places.length > 0) return places;
    }
    return [];
  });
  const apart: (readonly [number, number])[] = [];
  for (const [start, end] of found.sort(([one], [other]) => one - other)) {
    const last = apart.at(-1);
    if (last !== undefined && start <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], end)];
    else if (apart.length < FULL_TEXT_LIMITS.searchMarks) apart.push([start, end]);
  }
  return apart;
}
