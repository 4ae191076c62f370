import { LIMITS } from "../protocol/index.ts";

type GlobToken = "*" | "?" | { readonly character: string };

/** One name of a pattern, split into tokens. Brackets stand for any character, braces and groups for anything. */
function tokensOf(segment: string): readonly GlobToken[] {
  const tokens: GlobToken[] = [];
  for (let at = 0; at < segment.length; at++) {
    const character = segment[at] ?? "";
    if (character === "\\") tokens.push({ character: segment[++at] ?? "" });
    else if (character === "*") tokens.push("*");
    else if (character === "?") tokens.push("?");
    else if (character === "[" || character === "{" || character === "(") {
      const end = segment.indexOf(character === "[" ? "]" : character === "{" ? "}" : ")", at + 2);
      if (end === -1) tokens.push({ character });
      else {
        tokens.push(character === "[" ? "?" : "*");
        at = end;
      }
    } else tokens.push({ character });
  }
  return tokens;
}

/** Whether some name matches both patterns. Cost: the product of their lengths. */
function namesMeet(left: readonly GlobToken[], right: readonly GlobToken[]): boolean {
  let row: boolean[] = [true];
  for (const [index, token] of right.entries()) row.push(row[index] === true && token === "*");
  for (const mine of left) {
    const next: boolean[] = [row[0] === true && mine === "*"];
    for (const [index, theirs] of right.entries()) {
      const both = row[index] === true && (mine === "*" || theirs === "*" || sameCharacter(mine, theirs));
      next.push(
        both ||
          (mine === "*" && (row[index + 1] === true || next[index] === true)) ||
          (theirs === "*" && (next[index] === true || row[index + 1] === true)),
      );
    }
    row = next;
  }
  return row.at(-1) === true;
}

function sameCharacter(left: GlobToken, right: GlobToken): boolean {
  if (typeof left === "string" || typeof right === "string") return true;
  return left.character === right.character;
}

export interface MeetOptions {
  /** A leading star does not match a dot, as in the shell. */
  readonly hidesDots: boolean;
}

/**
 * Whether some path matches the first pattern and equals, or lies below, a path that matches the second. Both are segments from the
 * same folder; `**` stands for any number of them. Patterns that are too long count as matching.
 */
export function pathsMeet(word: readonly string[], rule: readonly string[], { hidesDots }: MeetOptions): boolean {
  const tooLong =
    word.length * rule.length > LIMITS.globPairs ||
    [...word, ...rule].some((segment) => segment.length > LIMITS.globChars);
  if (tooLong) return true;
  const words = word.map(tokensOf);
  const rules = rule.map(tokensOf);
  const fits = (at: number, to: number): boolean => {
    const [mine, theirs] = [words[at], rules[to]];
    if (mine === undefined || theirs === undefined) return false;
    const [first] = theirs;
    const dotted = typeof first === "object" && first.character === ".";
    return !(hidesDots && dotted && typeof mine[0] === "string") && namesMeet(mine, theirs);
  };
  // reached[to]: the words so far can be consumed up to rule segment `to`.
  let reached = closure(rule.map((_segment, to) => to === 0).concat(rule.length === 0), rule);
  if (reached[rule.length] === true) return true;
  for (const [at, segment] of word.entries()) {
    const next = Array.from({ length: rule.length + 1 }, () => false);
    for (const [to, possible] of reached.entries()) {
      if (!possible) continue;
      if (segment === "**") {
        next[to] = true;
        for (let later = to; later <= rule.length; later++) next[later] = true;
      }
      if (rule[to] === "**") next[to] = true;
      else if (to < rule.length && fits(at, to)) next[to + 1] = true;
    }
    reached = closure(next, rule);
    if (reached[rule.length] === true) return true;
  }
  return false;
}

function closure(reached: readonly boolean[], rule: readonly string[]): boolean[] {
  const all = [...reached];
  for (const [to, segment] of rule.entries()) {
    // `a/**` matches what lies below `a`, and `a` itself.
    if (all[to] === true && segment === "**") all[to + 1] = true;
  }
  return all;
}

/** A name, or a shell pattern that may expand to it. */
export function couldBe(segment: string, name: string): boolean {
  return segment === name || (/[*?[(]/.test(segment) && pathsMeet([segment], [name], { hidesDots: true }));
}
