import { LIMITS } from "../../protocol/index.ts";
import { feedbackTerms, inverseFrequency, scored, type ScoredPart, type TermFigures } from "./ranking.ts";
import { synonymsOf } from "./synonyms.ts";
import { queryTermsOf, termsOf, type KnownWords } from "./terms.ts";

/** A part of a file that fits a query, in lines that are counted from 1. */
export interface FoundPart {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** How much of what the query says stands in it, by the weight of the words: 0 to 1. */
  readonly coverage: number;
}

/** What is kept of a part: the numbers of its terms, not its text. */
export interface IndexedPart {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly terms: Uint32Array;
  readonly counts: Uint16Array;
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
/** How much a word for the same thing counts, beside the word itself. */
const SYNONYM_WEIGHT = 0.35;
const PARTS_OF_ONE_FILE = 2;
const MOST_COUNTED = 0xffff;
/** In a small folder every word is frequent: how much of a query a part covers is counted as if there were so many parts. */
const COUNTED_AS_PARTS = 1_000;

/**
 * An index of a workspace's text in memory: BM25 over parts of files. Identifiers are split and endings cut. A query also finds common words
 * for the same thing, and words that stand beside its own in the parts that fit best. It is no model: what no part says in related words, it
 * does not find.
 */
export class CodeIndex {
  readonly #files = new Map<string, IndexedFile>();
  /** The number of each term. A term that no part has any more gives its number back. */
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #free: number[] = [];
  /** In how many parts a term stands, by its number. */
  readonly #holding: number[] = [];
  /** The terms of words that were seen before. */
  readonly #words: KnownWords = new Map();
  #bytes = 0;
  #parts = 0;
  #length = 0;

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
    const parts = this.#partsOf(path, text);
    this.#files.set(path, { stamp, bytes, parts });
    this.#bytes += bytes;
    this.#parts += parts.length;
    return true;
  }

  delete(path: string): void {
    const file = this.#files.get(path);
    if (file === undefined) return;
    this.#files.delete(path);
    this.#bytes -= file.bytes;
    this.#parts -= file.parts.length;
    for (const { terms, length } of file.parts) {
      this.#length -= length;
      for (const term of terms) this.#release(term);
    }
  }

  /** Forgets what is not among these. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#files.keys()) if (!paths.has(path)) this.delete(path);
  }

  /** The parts that fit best, best first; at most two of one file. The index must not change meanwhile. */
  async search(query: string, most: number): Promise<readonly FoundPart[]> {
    const own = [...new Set(queryTermsOf(query))].slice(0, LIMITS.searchCodeTerms);
    const weights = this.#weights(own);
    const figures: TermFigures = {
      parts: this.#parts,
      averageLength: this.#length / Math.max(1, this.#parts),
      holding: (term) => this.#holding[term] ?? 0,
    };
    const first = await scored(this.#each(), weights, figures);
    const widened = new Map([...feedbackTerms(first, weights, figures), ...weights]);
    const best = await scored(this.#each(), widened, figures);
    const mass = this.#massOf(own, figures);
    return firstOfEach(best)
      .slice(0, most)
      .map(({ part: { path, from, to, terms } }) => {
        const covered = own.reduce(
          (sum, term) => sum + (this.#stands(term, terms) ? this.#weightOf(term, figures) : 0),
          0,
        );
        return { path, from, to, coverage: mass === 0 ? 0 : covered / mass };
      });
  }

  *#each(): Iterable<readonly IndexedPart[]> {
    for (const { parts } of this.#files.values()) yield parts;
  }

  /** The weight of each term of a query, and of words for the same. */
  #weights(own: readonly string[]): ReadonlyMap<number, number> {
    const weights = new Map<number, number>();
    for (const term of own) {
      for (const other of synonymsOf(term)) {
        const number = this.#numbers.get(other);
        if (number !== undefined) weights.set(number, Math.max(weights.get(number) ?? 0, SYNONYM_WEIGHT));
      }
    }
    for (const term of own) {
      const number = this.#numbers.get(term);
      if (number !== undefined) weights.set(number, 1);
    }
    return weights;
  }

  /** A word that stands nowhere weighs most: a query of such words covers nothing. */
  #weightOf(term: string, figures: TermFigures): number {
    const number = this.#numbers.get(term);
    const parts = Math.max(figures.parts, COUNTED_AS_PARTS);
    return inverseFrequency(number === undefined ? 0 : figures.holding(number), parts);
  }

  #massOf(own: readonly string[], figures: TermFigures): number {
    return own.reduce((sum, term) => sum + this.#weightOf(term, figures), 0);
  }

  #stands(term: string, terms: Uint32Array): boolean {
    return [term, ...synonymsOf(term)].some((word) => {
      const number = this.#numbers.get(word);
      return number !== undefined && terms.includes(number);
    });
  }

  #partsOf(path: string, text: string): readonly IndexedPart[] {
    const lines = text.split("\n");
    const ofPath = termsOf(path);
    const parts: IndexedPart[] = [];
    for (let start = 0; start < lines.length; start += LIMITS.searchCodeLines) {
      const own = lines.slice(start, start + LIMITS.searchCodeLines);
      const part = own.join("\n").trimEnd();
      if (part === "") continue;
      const terms = termsOf(part, this.#words);
      const counts = new Map<string, number>();
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const term of ofPath) counts.set(term, (counts.get(term) ?? 0) + PATH_WEIGHT);
      this.#length += terms.length;
      parts.push({
        path,
        from: start + 1,
        to: start + part.split("\n").length,
        terms: Uint32Array.from(counts.keys(), (term) => this.#take(term)),
        counts: Uint16Array.from(counts.values(), (count) => Math.min(count, MOST_COUNTED)),
        length: terms.length,
      });
    }
    return parts;
  }

  #take(term: string): number {
    const known = this.#numbers.get(term);
    const number = known ?? this.#free.pop() ?? this.#names.length;
    if (known === undefined) {
      this.#numbers.set(term, number);
      this.#names[number] = term;
    }
    this.#holding[number] = (known === undefined ? 0 : (this.#holding[number] ?? 0)) + 1;
    return number;
  }

  #release(number: number): void {
    const left = (this.#holding[number] ?? 0) - 1;
    this.#holding[number] = left;
    if (left > 0) return;
    this.#numbers.delete(this.#names[number] ?? "");
    this.#free.push(number);
  }
}

function firstOfEach(parts: readonly ScoredPart[]): readonly ScoredPart[] {
  const taken = new Map<string, number>();
  return parts.filter(({ part: { path } }) => {
    const count = (taken.get(path) ?? 0) + 1;
    taken.set(path, count);
    return count <= PARTS_OF_ONE_FILE;
  });
}
