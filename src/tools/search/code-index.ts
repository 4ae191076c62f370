import { LIMITS } from "../../protocol/index.ts";
import { termsOf } from "./terms.ts";

/** A part of a file, in lines that are counted from 1. */
export interface CodePart {
  readonly path: string;
  readonly from: number;
  readonly text: string;
}

interface IndexedPart extends CodePart {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

interface IndexedFile {
  /** Tells whether the file has changed. */
  readonly stamp: string;
  readonly bytes: number;
  readonly parts: readonly IndexedPart[];
}

/** How much a word counts more when it stands in the path. */
const PATH_WEIGHT = 3;
/** BM25's usual constants. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * An index of a workspace's text in memory, by words: BM25 over parts of files, with identifiers split and endings cut. It knows no synonyms
 * and no meaning beyond words.
 */
export class CodeIndex {
  readonly #files = new Map<string, IndexedFile>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the file is there as it is now. */
  has(path: string, stamp: string): boolean {
    return this.#files.get(path)?.stamp === stamp;
  }

  /** False: the index is full, and the file was left out. */
  put(path: string, stamp: string, text: string): boolean {
    this.delete(path);
    const bytes = Buffer.byteLength(text);
    if (this.#bytes + bytes > LIMITS.searchCodeBytes) return false;
    this.#files.set(path, { stamp, bytes, parts: partsOf(path, text) });
    this.#bytes += bytes;
    return true;
  }

  delete(path: string): void {
    this.#bytes -= this.#files.get(path)?.bytes ?? 0;
    this.#files.delete(path);
  }

  /** Forgets what is not among these. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#files.keys()) if (!paths.has(path)) this.delete(path);
  }

  /** The parts that fit best, best first; at most two of one file. */
  search(query: string, most: number): readonly CodePart[] {
    const terms = [...new Set(termsOf(query))].slice(0, LIMITS.searchCodeTerms);
    const parts = [...this.#files.values()].flatMap((file) => file.parts);
    const average = parts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, parts.length);
    const weights = terms.map((term) => weightOf(parts.filter(({ counts }) => counts.has(term)).length, parts.length));
    const scored = parts.flatMap((part) => {
      const score = terms.reduce((sum, term, at) => sum + (weights[at] ?? 0) * saturated(part, term, average), 0);
      return score > 0 ? [{ part, score }] : [];
    });
    scored.sort((one, other) => other.score - one.score || (one.part.path < other.part.path ? -1 : 1));
    return firstOfEach(scored.map(({ part }) => part)).slice(0, most);
  }
}

const PARTS_OF_ONE_FILE = 2;

function firstOfEach(parts: readonly IndexedPart[]): readonly CodePart[] {
  const taken = new Map<string, number>();
  return parts.filter(({ path }) => {
    const count = (taken.get(path) ?? 0) + 1;
    taken.set(path, count);
    return count <= PARTS_OF_ONE_FILE;
  });
}

function weightOf(holding: number, all: number): number {
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

function saturated({ counts, length }: IndexedPart, term: string, average: number): number {
  const count = counts.get(term) ?? 0;
  const norm = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, average);
  return (count * (SATURATION + 1)) / (count + SATURATION * norm);
}

function partsOf(path: string, text: string): readonly IndexedPart[] {
  const lines = text.split("\n");
  const ofPath = termsOf(path);
  const parts: IndexedPart[] = [];
  for (let start = 0; start < lines.length; start += LIMITS.searchCodeLines) {
    const part = lines.slice(start, start + LIMITS.searchCodeLines).join("\n");
    if (part.trim() === "") continue;
    const terms = termsOf(part);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const term of ofPath) counts.set(term, (counts.get(term) ?? 0) + PATH_WEIGHT);
    parts.push({ path, from: start + 1, text: part, counts, length: terms.length });
  }
  return parts;
}
