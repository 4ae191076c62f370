/** A formula that cannot be read or does not fit the table. The message says what is known. */
export class FormulaError extends Error {
  override readonly name = "FormulaError";
  /** Where in the expression, in characters from 0. */
  readonly position: number;

  constructor(words: string, position: number) {
    super(`${words} (at character ${position + 1})`);
    this.position = position;
  }
}

export const FORMULA_BOUNDS = {
  /** Characters of an expression. */
  characters: 10_000,
  /** Parentheses, calls and operators inside one another. */
  depth: 100,
  /** Values, operators and calls together. */
  parts: 2_000,
  /** Characters of one text that a formula makes. */
  text: 100_000,
} as const;

const NEAR = 3;
const SHOWN_NAMES = 20;
const LONGEST_COMPARED = 64;

/** `Did you mean …?` with the names most like it, else all of them, as many as fit. */
export function nearWords(name: string, names: readonly string[], what: string): string {
  const near = names
    .map((other) => ({ other, distance: distanceOf(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance }) => distance <= Math.ceil(Math.min(name.length, other.length) / 3))
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, NEAR)
    .map(({ other }) => other);
  if (near.length > 0) return `Did you mean ${near.join(" or ")}?`;
  if (names.length === 0) return `There are no ${what}.`;
  const rest = names.length > SHOWN_NAMES ? `, and ${names.length - SHOWN_NAMES} more` : "";
  return `Known ${what}: ${names.slice(0, SHOWN_NAMES).join(", ")}${rest}.`;
}

/** How many letters must be put in, left out or changed (Levenshtein). */
function distanceOf(left: string, right: string): number {
  if (left.length > LONGEST_COMPARED || right.length > LONGEST_COMPARED) return left === right ? 0 : LONGEST_COMPARED;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + same),
      );
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
