import { Failure, LIMITS, type ApplyChanges } from "../../protocol/index.ts";
import { diffHunks, withHunks } from "../../tools/index.ts";
import { contentState, isSameFile, type ComparedChange, type FileState } from "../../workspaces/index.ts";
import { sidesOf } from "./change-diff.ts";
import type { OpenChanges } from "./open-changes.ts";

/** `make`: the chosen parts are applied or committed. `undo`: they are discarded, and the others stay. */
type PartUse = "make" | "undo";

/** The changes that were asked for, or a Failure if they are no longer those that were looked at. */
export async function chosenChanges(
  open: OpenChanges,
  { paths, revision: seen, hunks = {} }: ApplyChanges,
  use: PartUse,
): Promise<readonly ComparedChange[]> {
  const { compared, revision } = open;
  if (seen !== undefined && seen !== revision)
    throw new Failure("input_changed", "the changes are no longer those that you were shown; look at them again");
  const wanted = paths === undefined ? undefined : new Set([...paths, ...Object.keys(hunks)]);
  for (const path of wanted ?? Object.keys(hunks))
    if (!compared.some((change) => change.path === path))
      throw new Failure("invalid_request", `the session has not changed ${path}`);
  const chosen = wanted === undefined ? compared : compared.filter(({ path }) => wanted.has(path));
  if (chosen.length === 0) throw new Failure("conflict", "the session has changed nothing");
  const parts: ComparedChange[] = [];
  for (const change of chosen) {
    const ids = Object.hasOwn(hunks, change.path) ? hunks[change.path] : undefined;
    parts.push(ids === undefined ? change : await partOf(open, change, { ids: new Set(ids), use }));
  }
  return parts;
}

/** The same change, of these parts alone. */
async function partOf(
  { tree, base }: OpenChanges,
  change: ComparedChange,
  { ids, use }: { readonly ids: ReadonlySet<string>; readonly use: PartUse },
): Promise<ComparedChange> {
  const { path, before, after, source } = change;
  const isLarge = Math.max(before?.size ?? 0, after?.size ?? 0) > LIMITS.diffedFileBytes;
  const sides = isLarge ? undefined : await sidesOf(tree, base, change);
  if (sides === undefined || !sides.isExact)
    throw new Failure("invalid_request", `${path} is no text that can be taken apart; choose it as a whole`);
  const all = diffHunks(sides.before, sides.after).map(({ id }) => id);
  const isWhole = all.every((id) => ids.has(id));
  const made = use === "make" ? ids : new Set(all.filter((id) => !ids.has(id)));
  const text = [...ids].every((id) => all.includes(id)) ? withHunks(sides, made) : undefined;
  if (text === undefined)
    throw new Failure("input_changed", `${path} is no longer as you were shown it; look at the changes again`);
  if (isWhole) return change;
  const content = Buffer.from(text);
  const state: FileState = contentState(after ?? before ?? { kind: "file", executable: false }, content);
  if (use === "undo") return { ...change, before: state, content };
  // A source that has the whole change already is not what the part was made from.
  const fit = isSameFile(source, state) ? "applied" : change.fit === "applied" ? "conflict" : change.fit;
  return { ...change, after: state, content, fit };
}
