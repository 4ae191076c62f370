import { LIMITS } from "../../protocol/index.ts";

/** An address, not a file. */
export function isAddress(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\//i.test(value) && !/^([a-z]+\+)?file:/i.test(value);
}

function withoutScheme(value: string): string {
  const path = value.replace(/^([a-z]+\+)?file:(\/\/(localhost)?(?=\/))?/i, "");
  if (path === value || !path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The local files that one word names: the word itself, an assigned value (`if=x`), an input (`@x`). */
export function fileNamesIn(value: string): readonly string[] {
  if (isAddress(value)) return [];
  const names = [withoutScheme(value)];
  const equals = value.indexOf("=");
  const set = equals === -1 ? undefined : value.slice(equals + 1);
  for (const text of set === undefined ? [value] : [value, set]) {
    if (text !== value && !isAddress(text)) names.push(withoutScheme(text));
    if (/^[@<]/.test(text)) names.push(text.slice(1));
    // curl's `name@file`.
    const after = /@(?=[/~.])(.+)$/s.exec(text)?.[1];
    if (after !== undefined) names.push(after);
  }
  return names.filter((name) => name !== "");
}

/**
 * Every part of a word that may be a file name: `if=x`, `@x`, `host:x`, `-fx`, `--file=x`, `a,b=x`. Used by rules that refuse:
 * one name too many costs a question, one too few a secret. Undefined: too many to list.
 */
export function anyFileNamesIn(value: string): readonly string[] | undefined {
  const cuts: number[] = [];
  for (const { index } of value.matchAll(/[=@:,<>;|'"()]/g)) {
    if (cuts.push(index) > LIMITS.shellSpellings) return undefined;
  }
  const names = new Set<string>(fileNamesIn(value));
  for (const [index, cut] of cuts.entries()) {
    if (value.length - cut <= LIMITS.pathChars) names.add(withoutScheme(value.slice(cut + 1)));
    names.add(value.slice(cut + 1, cuts[index + 1]));
  }
  const [first] = cuts;
  if (first !== undefined && !value.startsWith("-")) names.add(value.slice(0, first));
  // `-fx`, and `-xzfx`: the letters before are other options.
  const letters = /^-([A-Za-z\d]{1,8})/.exec(value)?.[1] ?? "";
  for (let at = 2; at <= letters.length + 1 && at < value.length; at++) names.add(value.slice(at));
  if (value.startsWith("-")) names.delete(value);
  // No path is longer; a pattern may be, and still match a short one.
  return [...names].filter((name) => name !== "" && (name.length <= LIMITS.pathChars || /[*?[{(]/.test(name)));
}
