import { lstat, stat } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { StringDecoder } from "node:string_decoder";
import picomatch from "picomatch";
import { glob as findFiles } from "tinyglobby";
import { z } from "zod";
import { isInside } from "../../gate/index.ts";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import { genericPreview } from "../preview.ts";
import { isRefusal, reasonOf, type ToolRefusal } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolSession } from "../tool.ts";
import { isHidden, resolveInside, resolvePath } from "./paths.ts";

const GlobInput = z.strictObject({
  pattern: z.string().min(1).max(LIMITS.globPatternChars).describe("Glob pattern, such as src/**/*.ts"),
  path: z
    .string()
    .optional()
    .describe('The folder to search; the workspace if left out. Leave it out rather than send "undefined"'),
});
type GlobInput = z.infer<typeof GlobInput>;

const STATS_AT_ONCE = 64;

export const glob: Tool<GlobInput> = {
  name: "Glob",
  description: `Finds files by a glob pattern, newest first, at most ${LIMITS.globResults}. Hidden and ignored files are found too, the inside of .git is not.`,
  tier: TOOL_FACTS.Glob.tier,
  concurrent: true,
  input: GlobInput,
  paths: (input) => [{ path: startOf(input).path, access: "read" }],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const search = await whereToSearch(input, context);
    if (isRefusal(search)) return errorResult(search.refused);
    const timeout = AbortSignal.timeout(LIMITS.globTimeoutMs);
    const signal = AbortSignal.any([timeout, context.signal]);
    const found = await findInside(search, context.sandbox, signal);
    if (context.signal.aborted) return errorResult("The search was interrupted.");
    if (timeout.aborted)
      return errorResult(
        `The search took more than ${LIMITS.globTimeoutMs / 1_000} s. Narrow the pattern or the path.`,
      );
    return isRefusal(found) ? errorResult(found.refused) : textResult(await listing(found));
  },
};

async function findInside(
  search: GlobSearch,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<readonly string[] | ToolRefusal> {
  try {
    const found = await (sandbox.kind === "local" ? findHere(search, signal) : findBehindWall(search, sandbox, signal));
    return found.filter((path) => search.roots.some((root) => isInside(root, path)) && !search.isHidden(path));
  } catch (error) {
    return { refused: `Glob error: ${reasonOf(error)}` };
  }
}

function findHere({ folder, pattern }: GlobSearch, signal: AbortSignal): Promise<readonly string[]> {
  return findFiles(pattern, {
    cwd: folder,
    absolute: true,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ["**/.git/**"],
    signal,
  });
}

/** Lists where the session's programs run: they could swap a folder for a link to a place that they cannot see, but we can. */
async function findBehindWall(
  { folder, pattern }: GlobSearch,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const isWanted = picomatch(pattern, { dot: true, posix: true });
  const decoder = new StringDecoder("utf8");
  const found: string[] = [];
  let rest = "";
  const running = await sandbox.spawn({
    argv: ["find", ".", "-name", ".git", "-prune", "-o", "!", "-type", "d", "-print0"],
    cwd: folder,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      const names = (rest + decoder.write(chunk)).split("\0");
      rest = names.pop() ?? "";
      for (const name of names.map((found) => found.slice("./".length)))
        if (isWanted(name) && found.length < LIMITS.globMatches) found.push(join(folder, name));
    },
  });
  const stop = (): void => void running.kill({ graceMs: 0 });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await running.exit;
  signal.removeEventListener("abort", stop);
  return found;
}

/** Some models send the word "null" or the like instead of nothing. */
export function givenPath(path: string | undefined): string | undefined {
  return path === undefined || ["", "undefined", "null"].includes(path) ? undefined : path;
}

interface GlobSearch {
  readonly folder: string;
  readonly pattern: string;
  /** What may be searched. */
  readonly roots: readonly string[];
  readonly isHidden: (path: string) => boolean;
}

async function whereToSearch(input: GlobInput, session: ToolSession): Promise<GlobSearch | ToolRefusal> {
  if (input.pattern.includes("\0")) return { refused: "The pattern contains a NUL character." };
  const { path, rest } = startOf(input);
  const place = await resolveInside(session, { path, access: "read" });
  if (isRefusal(place)) return place;
  if (rest.split(/[/{},|()]/).includes(".."))
    return { refused: "The pattern may not go up with `..` after a wildcard. Use the path argument." };
  const there = await stat(place.real).catch(() => undefined);
  if (there === undefined) return { refused: `Directory does not exist: ${place.shown}` };
  if (!there.isDirectory()) return { refused: `Not a directory: ${place.shown}` };
  const roots = await Promise.all(
    [session.workspace, session.outputFolder, ...session.extraRead].map((root) => resolvePath(session.workspace, root)),
  );
  return { folder: place.real, pattern: rest, roots, isHidden: (path) => isHidden(session, path) };
}

/** The folder where the search begins: the given path, plus the part of the pattern without wildcards. */
function startOf(input: GlobInput): { readonly path: string; readonly rest: string } {
  const { base, rest } = splitPattern(input.pattern);
  const from = givenPath(input.path) ?? ".";
  return { path: isAbsolute(base) ? base : join(from, base), rest };
}

/** The folders at the pattern's start without wildcards, and the rest, which has at least one name. */
function splitPattern(pattern: string): { readonly base: string; readonly rest: string } {
  const names = pattern.split(sep);
  const wild = names.findIndex((name) => /[*?[\]{}()!+@\\]/.test(name));
  const cut = wild === -1 ? names.length - 1 : wild;
  const base = names.slice(0, cut).join(sep);
  const rest = names.slice(cut).join(sep);
  return { base: base === "" && pattern.startsWith(sep) ? sep : base, rest: rest === "" ? "*" : rest };
}

async function listing(found: readonly string[]): Promise<string> {
  if (found.length === 0) return "No files found";
  const files = await newestFirst(found.slice(0, LIMITS.globMatches));
  const shown = files.slice(0, LIMITS.globResults).join("\n");
  if (found.length <= LIMITS.globResults) return shown;
  return `${shown}\n(Results are truncated: ${LIMITS.globResults} of ${found.length} files are shown. Use a narrower pattern or path.)`;
}

/** By the time of their last change, then by name. */
export async function newestFirst(paths: readonly string[]): Promise<readonly string[]> {
  const dated: { readonly path: string; readonly changed: number }[] = [];
  for (let start = 0; start < paths.length; start += STATS_AT_ONCE) {
    const some = paths.slice(start, start + STATS_AT_ONCE).map(async (path) => {
      const found = await lstat(path).catch(() => undefined);
      return { path, changed: found?.mtimeMs ?? 0 };
    });
    dated.push(...(await Promise.all(some)));
  }
  return dated
    .sort((one, other) => other.changed - one.changed || compare(one.path, other.path))
    .map(({ path }) => path);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
