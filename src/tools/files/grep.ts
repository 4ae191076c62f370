import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import { isInside } from "../../gate/index.ts";
import { headOf, LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import { isRefusal, reasonOf } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolContext, type ToolResult } from "../tool.ts";
import { givenPath, newestFirst } from "./glob.ts";
import { resolveInside } from "./paths.ts";

const contextLines = z.number().int().min(0).max(LIMITS.grepContextLines).optional();
/** For each flag that only affects lines of content; in the other modes it is accepted and ignored, as in Claude Code. */
const CONTENT_ONLY = 'only with output_mode "content", ignored otherwise';

const GrepInput = z.strictObject({
  pattern: z.string().min(1).max(LIMITS.grepPatternChars).describe("Regular expression, in ripgrep's syntax"),
  path: z.string().optional().describe("File or folder to search; the workspace if left out"),
  glob: z
    .string()
    .max(LIMITS.globPatternChars)
    .optional()
    .describe("Only files that match, such as *.ts or *.{ts,tsx}"),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .default("files_with_matches")
    .describe("The matching lines, the files that match (newest first), or the number of matching lines of each file"),
  "-A": contextLines.describe(`Lines to show after each match; ${CONTENT_ONLY}`),
  "-B": contextLines.describe(`Lines to show before each match; ${CONTENT_ONLY}`),
  "-C": contextLines.describe(`Lines to show before and after each match; ${CONTENT_ONLY}`),
  context: contextLines.describe("The same as -C"),
  "-n": z.boolean().optional().describe(`Show line numbers; true if left out; ${CONTENT_ONLY}`),
  "-i": z.boolean().optional().describe("Ignore case"),
  "-o": z.boolean().optional().describe(`Show only the part of each line that matches; ${CONTENT_ONLY}`),
  type: z.string().max(100).optional().describe("Only files of this type (rg --type), such as js, py, rust"),
  head_limit: z
    .number()
    .int()
    .min(0)
    .default(LIMITS.grepHeadLimit)
    .describe("Show only so many lines or entries; 0 for all"),
  offset: z.number().int().min(0).default(0).describe("Leave out so many lines or entries first"),
  multiline: z.boolean().default(false).describe("The pattern may span lines, and . matches newlines"),
});
type GrepInput = z.infer<typeof GrepInput>;

export const grep: Tool<GrepInput> = {
  name: "Grep",
  description:
    "Searches the text of files with ripgrep, hidden files too; what .gitignore names is left out. output_mode chooses between the " +
    "matching files, the matching lines and their number.",
  tier: TOOL_FACTS.Grep.tier,
  concurrent: true,
  input: GrepInput,
  paths: (input) => [{ path: givenPath(input.path) ?? ".", access: "read" }],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const place = await resolveInside(context, { path: givenPath(input.path) ?? ".", access: "read" });
    if (isRefusal(place)) return errorResult(place.refused);
    const there = await stat(place.real).catch(() => undefined);
    if (there === undefined) return errorResult(`Path does not exist: ${place.shown}`);
    if (input.pattern.includes("\0")) return errorResult("The pattern contains a NUL character.");
    try {
      const found = await search(input, place.real, context);
      return await answer(input, found, context);
    } catch (error) {
      return errorResult(`Grep error: ${reasonOf(error)}`);
    }
  },
};

/** The program that searches. */
export async function ripgrepFile(): Promise<string> {
  const { rgPath } = await import("@vscode/ripgrep");
  return rgPath;
}

interface GrepOutput {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
  /** Stopped on purpose because enough was found. */
  readonly stopped: boolean;
  readonly timedOut: boolean;
}

/** Only an unsorted search can stop as soon as it has enough. */
function linesWanted(input: GrepInput): number {
  if (input.output_mode === "files_with_matches" || input.head_limit === 0) return Infinity;
  return input.offset + input.head_limit + 1;
}

async function search(input: GrepInput, path: string, context: ToolContext): Promise<GrepOutput> {
  const rgPath = await ripgrepFile();
  const collected = new CollectedLines(linesWanted(input));
  let stderr = "";
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const running = await context.sandbox.spawn({
    argv: [rgPath, ...argumentsOf(input, hiddenGlobs(context)), "--", path],
    cwd: context.workspace,
    onOutput(chunk, stream) {
      if (stream === "stderr") stderr = headOf(stderr + chunk.toString(), LIMITS.bashOutputChars);
      else if (collected.add(chunk)) stop();
    },
  });
  const timeout = AbortSignal.timeout(LIMITS.grepTimeoutMs);
  const ended = AbortSignal.any([timeout, context.signal]);
  ended.addEventListener("abort", stop, { once: true });
  if (ended.aborted) stop();
  try {
    const end = await Promise.race([running.exit, stopped]);
    if (end !== undefined) return { lines: collected.end(), stderr, code: end.code, stopped: false, timedOut: false };
    await running.kill({ graceMs: 0 });
    return { lines: collected.end(), stderr, code: null, stopped: true, timedOut: timeout.aborted };
  } finally {
    ended.removeEventListener("abort", stop);
  }
}

/** The server's own folder, if it lies in the workspace. ripgrep's globs start at the working folder. */
export function hiddenGlobs({ hidden, workspace }: Pick<ToolContext, "hidden" | "workspace">): readonly string[] {
  return hidden
    .filter((folder) => isInside(workspace, folder))
    .map((folder) => `--glob=!/${relative(workspace, folder).replace(/[*?[\]{}!\\]/g, "\\$&")}/**`);
}

function argumentsOf(input: GrepInput, hidden: readonly string[]): readonly string[] {
  const words = ["--no-config", "--hidden", "--color=never", "--no-heading", "--with-filename"];
  words.push(`--max-columns=${LIMITS.readLineChars}`, "--max-columns-preview");
  if (input["-i"] === true) words.push("--ignore-case");
  if (input.multiline) words.push("--multiline", "--multiline-dotall");
  if (input.type !== undefined) words.push(`--type=${input.type}`);
  for (const pattern of globsOf(input.glob ?? "")) words.push(`--glob=${pattern}`);
  // Last, because a later glob wins over an earlier one.
  words.push("--glob=!.git", ...hidden);
  words.push(...modeArguments(input), "-e", input.pattern);
  return words;
}

/** The same order each time: a search continued with an offset must find what comes next. */
const IN_ORDER = "--sort=path";

function modeArguments(input: GrepInput): readonly string[] {
  switch (input.output_mode) {
    case "files_with_matches":
      return ["--files-with-matches"];
    case "count":
      return [IN_ORDER, "--count"];
    case "content": {
      const words = [IN_ORDER, input["-n"] === false ? "--no-line-number" : "--line-number"];
      if (input["-o"] === true) words.push("--only-matching");
      const around = input["-C"] ?? input.context;
      if (around !== undefined) return [...words, `--context=${around}`];
      if (input["-B"] !== undefined) words.push(`--before-context=${input["-B"]}`);
      if (input["-A"] !== undefined) words.push(`--after-context=${input["-A"]}`);
      return words;
    }
  }
}

/** One argument may hold several globs, separated by spaces, or by commas outside braces. */
function globsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .flatMap((word) => (word.includes("{") ? [word] : word.split(",")))
    .filter((word) => word !== "");
}

/** Whole lines out of chunks, with a bound in lines and in bytes. */
class CollectedLines {
  readonly #wanted: number;
  readonly #decoder = new StringDecoder("utf8");
  readonly #lines: string[] = [];
  #open = "";
  #bytes = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** True when no more is needed. */
  add(chunk: Buffer): boolean {
    if (this.#isFull()) return true;
    this.#bytes += chunk.length;
    const [first = "", ...rest] = this.#decoder.write(chunk).split("\n");
    this.#open += first;
    for (const line of rest) {
      this.#lines.push(this.#open);
      this.#open = line;
    }
    return this.#isFull();
  }

  end(): readonly string[] {
    if (this.#open !== "" && !this.#isFull()) this.#lines.push(this.#open);
    return this.#lines;
  }

  #isFull(): boolean {
    return this.#lines.length >= this.#wanted || this.#bytes >= LIMITS.grepCollectedBytes;
  }
}

async function answer(input: GrepInput, found: GrepOutput, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return errorResult("The search was interrupted.");
  if (found.timedOut)
    return errorResult(
      `The search took more than ${LIMITS.grepTimeoutMs / 1_000} s. Narrow the path, the glob or the pattern.`,
    );
  // Code 2 with matches: some file could not be read, the others were.
  if (!found.stopped && found.code !== 0 && found.code !== 1 && found.lines.length === 0)
    return errorResult(searchProblem(found));
  if (found.lines.length === 0)
    return textResult(input.output_mode === "files_with_matches" ? "No files found" : "No matches found");
  const lines = input.output_mode === "files_with_matches" ? await newestFirst(found.lines) : found.lines;
  return textResult(page(input, lines, found.stopped));
}

function searchProblem(found: GrepOutput): string {
  const words = found.stderr.replaceAll(/^rg: /gm, "").trim();
  if (words.includes("regex")) return `Invalid regex: ${words}`;
  return words === "" ? `Grep error: ripgrep ended with code ${found.code ?? "?"}` : `Grep error: ${words}`;
}

function page(input: GrepInput, lines: readonly string[], stopped: boolean): string {
  const end = input.head_limit === 0 ? lines.length : input.offset + input.head_limit;
  const wanted = lines.slice(input.offset, end);
  if (wanted.length === 0) return `Offset ${input.offset} is beyond the last of ${lines.length} result(s).`;
  let size = 0;
  let fit = 0;
  while (fit < wanted.length && size <= LIMITS.grepOutputChars) {
    size += (wanted[fit]?.length ?? 0) + 1;
    fit += 1;
  }
  if (size > LIMITS.grepOutputChars && fit > 1) fit -= 1;
  const text = wanted.slice(0, fit).join("\n");
  const next = input.offset + fit;
  if (next >= lines.length && !stopped) return text;
  return `${text}\n(Results are truncated: ${fit} shown. Go on with offset ${next}, or narrow the search.)`;
}
