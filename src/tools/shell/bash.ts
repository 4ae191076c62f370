import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { analyseCommand, READING_PATH, withDisk, type CommandAnalysis } from "../../gate/index.ts";
import { LIMITS, TOOL_FACTS, type CommandPart } from "../../protocol/index.ts";
import type { SpawnRequest } from "../../sandbox/sandbox.ts";
import { isRefusal, reasonOf } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolContext, type ToolResult, type ToolSession } from "../tool.ts";
import { lookUp } from "./look-up.ts";
import { CommandOutput } from "./output.ts";
import { findProgram, SHELL_BUILTINS } from "./programs.ts";
import { readingEnvironment, readsOnly } from "./reading.ts";
import { leadsWhereShown } from "./same-command.ts";
import { exitCodeOf } from "./shells.ts";

const BashInput = z
  .strictObject({
    command: z.string().max(LIMITS.commandChars).describe("The command line for bash"),
    timeout: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(
        `Milliseconds until the command is ended: ${LIMITS.bashTimeoutMs} if left out, at most ${LIMITS.bashTimeoutMaxMs}; ` +
          `in the background ${LIMITS.backgroundTimeoutMs}, at most ${LIMITS.backgroundTimeoutMaxMs}`,
      ),
    description: z.string().max(LIMITS.commandChars).optional().describe("What the command does, in a few words"),
    run_in_background: z
      .boolean()
      .default(false)
      .describe("Answer at once with a bash_id; read the output with BashOutput, end it with KillShell"),
    dangerouslyDisableSandbox: z
      .boolean()
      .optional()
      .describe("Must stay false")
      .refine((value) => value !== true, "must stay false: commands always run in the session's sandbox"),
  })
  .refine((input) => (input.timeout ?? 0) <= longest(input.run_in_background), {
    path: ["timeout"],
    message: `may be at most ${LIMITS.bashTimeoutMaxMs}, or ${LIMITS.backgroundTimeoutMaxMs} with run_in_background`,
  })
  .refine((input) => !input.command.includes("\0"), { path: ["command"], message: "contains a NUL character" });
type BashInput = z.infer<typeof BashInput>;

function longest(background: boolean): number {
  return background ? LIMITS.backgroundTimeoutMaxMs : LIMITS.bashTimeoutMaxMs;
}

function timeoutOf(input: BashInput): number {
  return input.timeout ?? (input.run_in_background ? LIMITS.backgroundTimeoutMs : LIMITS.bashTimeoutMs);
}

export const bash: Tool<BashInput> = {
  name: "Bash",
  description:
    "Runs a command line with bash. Every call starts in the workspace, in a new shell: folder changes and variables do not " +
    `last. Output over ${LIMITS.bashOutputChars} characters is cut in the middle and kept in a file. Standard input is empty.`,
  tier: TOOL_FACTS.Bash.tier,
  input: BashInput,
  paths: () => [],
  hosts: () => [],
  async onlyReads({ command, run_in_background }, session) {
    const proven = run_in_background ? "it runs in the background" : await readsOnly(command, session);
    return typeof proven === "string" ? undefined : proven;
  },
  async preview(input, session) {
    const { parts, ...analysis } = await analysed(input, session);
    return {
      preview: {
        type: "command",
        command: input.command,
        ...(input.description === undefined ? {} : { description: input.description }),
        timeout_ms: timeoutOf(input),
        cwd: session.workspace,
        background: input.run_in_background,
        parts,
        ...(analysis.parseError === undefined ? {} : { parse_error: analysis.parseError }),
      },
      warnings: analysis.warnings,
    };
  },
  async execute(input, context) {
    const shown = context.permission?.approved?.parts;
    if (shown !== undefined && !leadsWhereShown(shown, (await analysed(input, context)).parts))
      return errorResult("What this command leads to changed since it was shown. It was not run.", { changed: true });
    if (context.permission?.onlyReads === true) return runReading(input, context);
    const shell = await findShell(context);
    if (shell === undefined)
      return errorResult("Error executing command: bash is not installed here. Install it and try again.");
    const { command } = input;
    if (!input.run_in_background) return runForeground(input, { argv: [shell, "-c", command] }, context);
    // Both streams in one pipe: only then are their lines in the order in which they were written.
    const argv = [shell, "-c", 'exec "$0" -c "$1" 2>&1', shell, command] as const;
    const started = await context.shells.start({ command, argv, cwd: context.workspace, timeout: timeoutOf(input) });
    if (isRefusal(started)) return errorResult(started.refused);
    return textResult(
      `Command runs in the background with bash_id: ${started.id}\nRead its output with BashOutput, end it with KillShell.`,
    );
  },
};

/** Runs a command about which nobody was asked, if it still only reads. */
async function runReading(input: BashInput, context: ToolContext): Promise<ToolResult> {
  const shell = await findProgram("bash", { searchPath: READING_PATH, cwd: context.workspace });
  const proven = await readsOnly(input.command, context);
  if (typeof proven === "string" || shell === undefined || input.run_in_background)
    return errorResult("It is no longer certain that this command only reads. It was not run.", { changed: true });
  const env = readingEnvironment(proven, context.workspace);
  return runForeground(input, { argv: [shell, "--norc", "--noprofile", "-c", input.command], env }, context);
}

/** The command as it would run now. */
async function analysed({ command }: BashInput, session: ToolSession): Promise<CommandAnalysis> {
  const { workspace } = session;
  const analysis = await withDisk(
    (path) => lookUp(workspace, path),
    (disk) => analyseCommand(command, { cwd: workspace, workspace, disk }),
  );
  const parts = await Promise.all(analysis.parts.map((part) => withProgram(part, analysis.parts, session)));
  return { ...analysis, parts };
}

/** Bash only: the gate judged the line by bash's grammar, and another shell may read it differently. */
async function findShell(session: ToolSession): Promise<string | undefined> {
  const where = { searchPath: session.sandbox.searchPath, cwd: session.workspace };
  return (await findProgram("bash", where)) ?? (await findProgram("/bin/bash", where));
}

/** Wrappers that leave the meaning of a name to the shell. */
const TRANSPARENT = new Set(["time", "command", "builtin"]);
const FOLDER_CHANGERS = new Set(["cd", "pushd", "popd"]);

/** With the program that this name has on the disk, if that can be known. */
async function withProgram(part: CommandPart, all: readonly CommandPart[], session: ToolSession): Promise<CommandPart> {
  const word = part.argv[0] ?? "";
  const name = word.includes("/") ? word : part.program;
  if (name === "") return part;
  if (SHELL_BUILTINS.has(name) && part.wrappers.every((wrapper) => TRANSPARENT.has(wrapper))) return part;
  const moved = all.some(({ program }) => FOLDER_CHANGERS.has(program));
  if (moved && name.includes("/") && !name.startsWith("/")) return part;
  const where = { searchPath: session.sandbox.searchPath, cwd: session.workspace };
  const resolved = await findProgram(name, where);
  return resolved === undefined ? part : { ...part, resolved };
}

async function runForeground(
  input: BashInput,
  start: Pick<SpawnRequest, "argv" | "env">,
  context: ToolContext,
): Promise<ToolResult> {
  if (context.signal.aborted) return errorResult("The command was interrupted before it began.");
  const path = join(context.outputFolder, `${context.newId("sh")}.log`);
  const output = new CommandOutput({ path, onOutput: context.onOutput, redact: context.redact });
  let stop: () => void = () => undefined;
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  const timeout = timeoutOf(input);
  const timer = setTimeout(stop, timeout);
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    const running = await context.sandbox.spawn({
      ...start,
      cwd: context.workspace,
      onOutput: (chunk, stream) => output.add(chunk, stream),
    });
    const end = await Promise.race([running.exit, stopped]);
    if (end?.reason !== undefined) return cutShort(`The command was ended: ${end.reason}.`, output);
    if (end !== undefined) return ended(exitCodeOf(end.code, end.signal), output);
    if (!context.signal.aborted) {
      await running.kill();
      return cutShort(`Command timed out after ${timeout / 1_000}s`, output);
    }
    // The search for processes that left the group may take longer; an interrupt does not wait for it.
    const killed = running.kill({ graceMs: LIMITS.abortGraceMs });
    await Promise.race([killed, pause(LIMITS.abortAnswerMs)]);
    return cutShort("The command was interrupted.", output);
  } catch (error) {
    return errorResult(`Error executing command: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", stop);
  }
}

function ended(exit_code: number, output: CommandOutput): ToolResult {
  const { stdout, stderr } = output.end();
  const text = [stdout, stderr].filter((part) => part !== "").join("\n");
  if (exit_code === 0) return textResult(text === "" ? "(no output)" : text, { exit_code });
  return errorResult([`Exit code ${exit_code}`, text].filter((part) => part !== "").join("\n"), { exit_code });
}

function cutShort(reason: string, output: CommandOutput): ToolResult {
  const { stdout, stderr } = output.end();
  return errorResult([reason, stdout, stderr].filter((part) => part !== "").join("\n"));
}
