import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { filterOf, nameFilter, readBeneath } from "../../workspaces/index.ts";
import { decodeText, isBinary } from "../files/content.ts";
import type { FileLedger } from "../files/ledger.ts";
import { hiddenGlobs, ripgrepFile } from "../files/grep.ts";
import { resolveInside } from "../files/paths.ts";
import { genericPreview, headOf } from "../preview.ts";
import { isRefusal, reasonOf } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolContext } from "../tool.ts";
import { CodeIndex, type CodePart } from "./code-index.ts";

const SearchCodeInput = z.strictObject({
  query: z.string().min(1).max(LIMITS.searchCodeQueryChars).describe("What you look for, in words or names"),
  max_results: z.number().int().min(1).max(LIMITS.searchCodeResults).default(LIMITS.searchCodeResults),
});
type SearchCodeInput = z.infer<typeof SearchCodeInput>;

/** Of each session, as long as it knows its files. */
const indexes = new WeakMap<FileLedger, CodeIndex>();
/** What looks like a secret by its name is never shown by a search. */
const withheld = nameFilter(filterOf("standard"));

export const searchCodeTool: Tool<SearchCodeInput> = {
  name: "SearchCode",
  description:
    "Finds the parts of the workspace's text files that fit a query best, by its words and their forms: identifiers are split, order and " +
    "spelling of words do not matter. Use it to find where something is done; use Grep for exact text.",
  tier: TOOL_FACTS.SearchCode.tier,
  concurrent: true,
  input: SearchCodeInput,
  paths: () => [{ path: ".", access: "read" }],
  preview: async (input) => genericPreview(input),
  async execute({ query, max_results }, context) {
    const place = await resolveInside(context, { path: ".", access: "read" });
    if (isRefusal(place)) return errorResult(place.refused);
    try {
      const index = indexes.get(context.files) ?? new CodeIndex();
      indexes.set(context.files, index);
      const left = await refresh(index, context);
      if (context.signal.aborted) return errorResult("The search was interrupted.");
      const found = index.search(query, max_results);
      const note = left === 0 ? "" : `\n\n(${left} files were left out: the index is full, or they took too long.)`;
      return textResult(found.length === 0 ? `Nothing fits the query.${note}` : `${shown(found)}${note}`);
    } catch (error) {
      return errorResult(`SearchCode error: ${reasonOf(error)}`);
    }
  },
};

/** Reads what has changed. Answers how many files were left out. */
async function refresh(index: CodeIndex, context: ToolContext): Promise<number> {
  const listed = await listFiles(context);
  const paths = listed.filter((path) => withheld(path) === undefined).slice(0, LIMITS.searchCodeFiles);
  index.keepOnly(new Set(paths));
  const late = AbortSignal.any([AbortSignal.timeout(LIMITS.searchCodeMs), context.signal]);
  let left = listed.length - paths.length;
  for (const path of paths) {
    if (late.aborted) left += 1;
    else if (!(await take(index, path, context))) left += 1;
  }
  return left;
}

/** False: it was left out for want of room. */
async function take(index: CodeIndex, path: string, context: ToolContext): Promise<boolean> {
  const found = await lstat(join(context.workspace, path)).catch(() => undefined);
  if (found?.isFile() !== true || found.size > LIMITS.searchCodeFileBytes) {
    index.delete(path);
    return true;
  }
  const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`;
  if (index.has(path, stamp)) return true;
  const text = await textOf(path, context);
  if (text !== undefined) return index.put(path, stamp, text);
  index.delete(path);
  return true;
}

/** Undefined: it is no text of the workspace. No link is followed. */
async function textOf(path: string, { workspace }: ToolContext): Promise<string | undefined> {
  const bytes = await readBeneath(workspace, path).catch(() => undefined);
  return bytes === undefined || bytes.length > LIMITS.searchCodeFileBytes || isBinary(bytes)
    ? undefined
    : decodeText(bytes).text;
}

/** What a repository does not ignore, listed where the session's programs run. */
async function listFiles(context: ToolContext): Promise<readonly string[]> {
  const rgPath = await ripgrepFile();
  let rest = "";
  const found: string[] = [];
  const running = await context.sandbox.spawn({
    argv: [rgPath, "--files", "--null", "--no-config", "--no-require-git", "--sort=path", ...hiddenGlobs(context)],
    cwd: context.workspace,
    onOutput(chunk, stream) {
      if (stream === "stderr" || found.length > LIMITS.searchCodeFiles) return;
      const names = (rest + chunk.toString("utf8")).split("\0");
      rest = names.pop() ?? "";
      found.push(...names);
    },
  });
  const stop = (): void => void running.kill({ graceMs: 0 });
  const late = AbortSignal.any([AbortSignal.timeout(LIMITS.searchCodeMs), context.signal]);
  late.addEventListener("abort", stop, { once: true });
  if (late.aborted) stop();
  await running.exit;
  late.removeEventListener("abort", stop);
  return found;
}

/** Together at most what fits beside a prompt: about 8,000 tokens. */
function shown(parts: readonly CodePart[]): string {
  let room: number = LIMITS.searchCodeChars;
  const texts: string[] = [];
  for (const { path, from, text } of parts) {
    const lines = text.trimEnd().split("\n");
    const whole = `${path}:${from}-${from + lines.length - 1}\n${lines.join("\n")}`;
    if (whole.length > room && texts.length > 0) break;
    texts.push(headOf(whole, room));
    room -= whole.length;
  }
  return texts.join("\n\n");
}
