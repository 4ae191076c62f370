import { Option, type Command } from "commander";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { findServer, homeToken } from "../connect.ts";
import { flagsOf, print, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { UsualSandbox } from "../../sessions/index.ts";
import type { Serving } from "../serve.ts";
import { readSettings, type Flags, type Settings } from "../settings/settings.ts";
import type { Signal } from "../surroundings.ts";
import { visible } from "../terminal/visible.ts";
import { collect, wholeNumber } from "./options.ts";

interface ServeFlags extends Flags {
  readonly logLevel?: string;
  readonly acceptDataLoss?: boolean;
}

const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"];

const HELP = `
Settings come from flags, then the environment (SALLYPORT_PORT, SALLYPORT_HOST, SALLYPORT_HOME, SALLYPORT_TOKEN,
ANTHROPIC_API_KEY, …), then sallyport.yaml in the home folder. \`sallyport doctor\` shows what applies and why.
Ctrl-C, SIGTERM or closing the terminal (SIGHUP) stop the server: it takes no new work, waits for commands that run
(--drain-seconds), then ends. Open turns and approvals wait for the next start. Ctrl-C again does not wait. There is no
reload: providers and prices are read anew by themselves, other settings at a start.

Example:
  $ sallyport serve --port 5353 --workspace ~/project`;

export function addServe(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .description("start the server")
    .option("--host <address>", "where to listen (default: 127.0.0.1)")
    .option("--port <port>", "0 takes any free one (default: 5353)", wholeNumber({ from: 0, to: 65_535 }))
    .option("--workspace <folder>", "where sessions work unless they say otherwise (default: this folder)")
    .option(
      "--provider <name>",
      "who answers: cloud, sim for the demo model, or another that is configured (default: cloud where a key is set)",
    )
    .option("--sandbox <name>", "where sessions run that name none: auto, local, bubblewrap, … (default: auto)")
    .option("--model <name>", "the model that sessions get unless they ask for another")
    .option(
      "--allowed-host <name>",
      "another name under which this server is reached; may be given several times",
      collect,
    )
    .option(
      "--allowed-origin <origin>",
      "another site whose pages may use this server with any token, such as https://shop.example.org; several times",
      collect,
    )
    .option(
      "--connection <name=place>",
      "a database that may be read: sqlite:/path, postgres://user@host/database or env:VARIABLE with one of them; several times",
      collect,
    )
    .option(
      "--drain-seconds <seconds>",
      `how long running commands have to end when the server stops (default: ${LIMITS.drainSeconds})`,
      wholeNumber({ from: 0, to: LIMITS.drainMaxSeconds }),
    )
    .option("--accept-data-loss", "start although the database holds less than it did; what is lost stays lost")
    .addOption(new Option("--log-level <level>", "how much is logged to standard error").choices(LOG_LEVELS))
    .option("--access-log", "log a line for each request (default: where the log level is info or debug)")
    .option("--no-access-log", "log none")
    .addHelpText("after", HELP)
    .action(async (flags: ServeFlags, command: Command) => {
      context.end(await serveUntilStopped(context, { ...flags, home: flagsOf(command).home }));
    });
}

async function serveUntilStopped(
  context: CommandContext,
  flags: ServeFlags & { readonly home?: string | undefined },
): Promise<ExitCode> {
  const { surroundings, screen } = context;
  const { environment } = surroundings;
  const settings = readSettings(flags, environment, surroundings.cwd);
  const level = logLevelOf(flags.logLevel ?? environment["SALLYPORT_LOG_LEVEL"]);
  const stopping = stopSignals(context);
  // A server outlives the reader of its log.
  surroundings.goOnWithoutOutput();
  const { serve } = await import("../serve.ts");
  const serving = await serve({
    settings,
    environment,
    version: surroundings.version,
    logLevel: level,
    store: { acceptLoss: flags.acceptDataLoss },
    onFatal: (error) => {
      screen.line(
        `${screen.paint.red("error:")} the store failed, nothing can be kept any more: ${visible(error.message)}`,
      );
      surroundings.exit(EXIT.failed);
    },
  }).catch(async (error: unknown) => {
    throw await withLink(error, settings);
  });
  greet(context, serving, settings);
  await stopping.first;
  const { value: seconds } = settings.drainSeconds;
  screen.line(
    screen.paint.dim(`stopping; commands that run have ${seconds} s to end, Ctrl-C again does not wait for them`),
  );
  await serving.drain(stopping.again);
  await serving.close(stopping.again);
  return EXIT.done;
}

function logLevelOf(text: string | undefined): string {
  if (text === undefined || text === "") return "warn";
  if (!LOG_LEVELS.includes(text))
    throw new Failure("invalid_request", `there is no log level ${text}; there are: ${LOG_LEVELS.join(", ")}`);
  return text;
}

interface StopSignals {
  /** Resolves at the first signal. */
  readonly first: Promise<void>;
  /** Aborted at the second one. */
  readonly again: AbortSignal;
}

/** The third signal does not wait: the process ends, and a watchdog ends its children. */
function stopSignals({ surroundings }: CommandContext): StopSignals {
  const again = new AbortController();
  const first = new Promise<void>((resolve) => {
    let asked = 0;
    const stop = (signal: Signal): void => {
      asked += 1;
      if (asked === 2) again.abort();
      if (asked > 2) surroundings.endBySignal(signal);
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) surroundings.onSignal(signal, () => stop(signal));
  });
  return { first, again: again.signal };
}

/** Whoever starts a second server on a home most likely wants the first one's link. */
async function withLink(error: unknown, settings: Settings): Promise<unknown> {
  if (!(error instanceof Failure) || error.code !== "conflict") return error;
  const running = await findServer(settings.home.value);
  if (running === undefined) return error;
  const token = homeToken(settings.home.value);
  return new Failure(
    "conflict",
    `a server has this home open already (pid ${running.pid}): ${running.url}/${token === undefined ? "" : `?token=${token}`}`,
  );
}

function greet(context: CommandContext, serving: Serving, settings: Settings): void {
  const { screen } = context;
  const url = new URL(serving.url);
  // A browser cannot open the wildcard address.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  print(context, `${url.origin}/?token=${serving.token}`);
  const { value: provider } = settings.provider;
  const model = settings.model.value ?? "";
  screen.line(
    provider === "sim"
      ? "The demo model answers (scripted, no real AI). For a real one: export ANTHROPIC_API_KEY=… and start again."
      : `Model calls go to ${visible(serving.modelAddress)}${model === "" ? "" : `, model ${visible(model)}`}.`,
  );
  screen.line(wallsLine(serving.sandbox));
  screen.line(
    screen.paint.dim(
      `First task: open the link in a browser, or in another terminal in this folder: ${context.surroundings.name} run "create hello.txt with hello world"`,
    ),
  );
}

/** Behind which walls agents work here, and why. */
function wallsLine({ kind, missing }: UsualSandbox): string {
  if (kind === undefined)
    return "No sandbox that the policy allows works here, so no session can be started: see `sallyport doctor`.";
  if (kind !== "local")
    return `Agents work in the sandbox ${kind}: they see their workspace, no keys, and no network but what the policy allows.`;
  const why =
    missing === undefined ? "it was chosen" : `bubblewrap does not work here (${missing.reason}: ${missing.remedy})`;
  return `Agents run with your own rights (sandbox local): ${why}.`;
}
