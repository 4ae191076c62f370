import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Command } from "commander";
import { dollars, LIMITS, type KeyCreated, type UsageLine } from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { withServer, type CommandContext } from "../context.ts";
import { execEnvironment } from "../exec-environment.ts";
import { programExit, type ExitCode } from "../exit.ts";
import type { Signal } from "../surroundings.ts";
import { keyOptions, keyRequest, type KeyFlags } from "./key.ts";
import { lifetime } from "./options.ts";

const HELP = `
The program gets a key of its own, which ends with it: ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, OPENAI_BASE_URL and
OPENAI_API_KEY are set. With one --model, Claude Code gets it for everything. What it cost is said at the end, on standard error.
The exit code is the program's; 127: there is no such program.

Examples:
  $ sallyport exec --max-cost 2 -- claude -p "explain this project"
  $ sallyport exec --provider openai --max-cost 1 -- python3 notebook.py`;

const NOT_FOUND = 127;
const SIGNAL_BASE = 128;

export function addExec(program: Command, context: CommandContext): void {
  keyOptions(program.command("exec").description("run a program of yours with a key and a budget of its own"))
    .argument("<program...>", "the program and its arguments, after --")
    .option("--expires-in <time>", "how long its key lives at most (default: 1d)", lifetime)
    .addHelpText("after", HELP)
    .action((words: readonly string[], flags: KeyFlags, command: Command) =>
      withServer(context, command, (connection) => execute(context, connection, { words, flags })),
    );
}

async function execute(
  context: CommandContext,
  { client }: ServerConnection,
  { words, flags }: { readonly words: readonly string[]; readonly flags: KeyFlags },
): Promise<ExitCode> {
  const [program = ""] = words;
  const key = await client.createKey({
    name: `exec ${program}`.slice(0, 200),
    ...keyRequest({ expiresIn: LIMITS.execKeyS, ...flags }),
  });
  try {
    return await run(context, words, key);
  } finally {
    // What is still under way ends with the key, and is counted then.
    await client.deleteKey(key.id);
    const { total } = await client.usage({ by: ["key"], key: key.id });
    context.screen.line(context.screen.paint.dim(costWords(total)));
  }
}

async function run(context: CommandContext, words: readonly string[], key: KeyCreated): Promise<ExitCode> {
  const { environment, cwd } = context.surroundings;
  const [program = "", ...rest] = words;
  const child = spawn(program, rest, { cwd, env: execEnvironment(environment, key), stdio: "inherit" });
  const stops = passSignals(context, child);
  try {
    return programExit(await ended(child));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const { screen } = context;
    const why = code === "ENOENT" ? "there is no such program" : message;
    screen.line(`${screen.paint.red("error:")} ${program}: ${why}`);
    return programExit(NOT_FOUND);
  } finally {
    for (const stop of stops) stop();
  }
}

/** The exit code as shells count it. */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

/** A terminal sends its Ctrl-C to both; all else comes here alone. This process waits for the program in any case. */
function passSignals({ surroundings }: CommandContext, child: ChildProcess): readonly (() => void)[] {
  const isTerminal = surroundings.input.isTTY === true;
  const pass = (signal: Signal): (() => void) =>
    surroundings.onSignal(signal, () => {
      if (signal !== "SIGINT" || !isTerminal) child.kill(signal);
    });
  return (["SIGINT", "SIGTERM", "SIGHUP"] as const).map(pass);
}

function costWords({ requests, tokens, cost_microusd, bound_microusd }: UsageLine): string {
  const count = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write + tokens.cache_write_1h;
  const most = bound_microusd === 0 ? "" : "at most ";
  const plural = requests === 1 ? "" : "s";
  return `cost ${most}${dollars(cost_microusd)}: ${requests} model request${plural}, ${count.toLocaleString("en-US")} tokens`;
}
