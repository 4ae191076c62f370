import type { Command } from "commander";
import type { Engine } from "../../engines/index.ts";
import { isVendorProgram, VENDOR_PROGRAMS, type VendorProgramName } from "../../engines/vendor/programs.ts";
import { Failure, nearestName } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { openEngines } from "../wiring/engines.ts";
import { EXIT } from "../exit.ts";
import { PROGRAM_NAMES, reportPrograms, type ProgramReport } from "../programs/found.ts";
import { installProgram, removeProgram } from "../programs/install.ts";
import { namedServer, ownSettingsFile, settingsFor } from "../serving.ts";
import { refuseUntrusted } from "../home/trusted-files.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";

const HELP = `
The engines that come with Sallyport need nothing of this. Other vendors' programs are taken from
\`programs\` in sallyport.yaml, from what is installed here, or from the PATH, in this order.

Examples:
  $ sallyport engine list
  $ sallyport engine install codex
  $ sallyport engine remove codex`;

export function addEngine(program: Command, context: CommandContext): void {
  const engine = program
    .command("engine")
    .description("the engines that sessions can have: list them, install and remove vendors' programs")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addList(engine, context);
  addInstall(engine, context);
  addRemove(engine, context);
}

/** An engine in the list: whether it works here, and what to do where it does not. */
interface ListedEngine {
  readonly id: string;
  readonly available: boolean;
  readonly advice?: string | undefined;
}

function listedEngine(engine: Engine): ListedEngine {
  const advice = engine.missing?.();
  const { id } = engine;
  return advice === undefined ? { id, available: true } : { id, available: false, advice };
}

function addList(engine: Command, context: CommandContext): void {
  engine
    .command("list")
    .description("the engines, and the vendors' programs: version, place, and how to get those that are missing")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport engine list")
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      if (namedServer(context, command) !== undefined) {
        // What is on its machine is told by its engines.
        await withServer(context, command, async ({ client }) => {
          const { engines } = await client.engines();
          if (json === true) printJson(context, { engines });
          else showEngines(context, engines);
          return EXIT.done;
        });
        return;
      }
      const settings = settingsFor(context, command);
      const { environment } = context.surroundings;
      const engines = [...openEngines(settings, environment).values()].map(listedEngine);
      const programs = await reportPrograms(settings, environment);
      if (json === true) {
        printJson(context, { engines, programs, folder: settings.programsFolder.value });
        return;
      }
      showEngines(context, engines);
      print(context, "");
      const head = ["PROGRAM", "VERSION", "TESTED", "FROM", "WHERE"];
      for (const line of table([head, ...programs.map(programRow)], width(context))) print(context, line);
    });
}

function showEngines(context: CommandContext, engines: readonly ListedEngine[]): void {
  const rows = engines.map(({ id, available, advice }) => [id, available ? "yes" : "no", visible(advice ?? "-")]);
  for (const line of table([["ENGINE", "WORKS", "WHAT TO DO"], ...rows], width(context))) print(context, line);
}

const FROM = { settings: "sallyport.yaml", installed: "installed", path: "PATH" } as const;

function programRow({ name, version, tested, from, path, install }: ProgramReport): readonly string[] {
  if (path === undefined || from === undefined) return [name, "-", tested, "-", install ?? "-"];
  return [name, version ?? "?", tested, FROM[from], visible(path)];
}

interface WantedProgram {
  readonly name: VendorProgramName;
  readonly version?: string;
}

const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** `codex`, or `codex@0.166.0`. */
function wantedOf(text: string): WantedProgram {
  const at = text.indexOf("@");
  const name = at === -1 ? text : text.slice(0, at);
  if (!isVendorProgram(name)) {
    const near = nearestName(name, PROGRAM_NAMES);
    const meant = near === undefined ? `there are: ${PROGRAM_NAMES.join(", ")}` : `did you mean ${near}?`;
    throw new Failure("not_found", `no program ${name} can be installed; ${meant}`);
  }
  if (at === -1) return { name };
  const version = text.slice(at + 1);
  if (!EXACT.test(version))
    throw new Failure(
      "invalid_request",
      `${version} is not an exact version: write it as ${name}@${VENDOR_PROGRAMS[name].version}, or leave it out`,
    );
  return { name, version };
}

const INSTALL_HELP = `
Installs the npm package of that program with npm: the version that was tested, or name@version. None of its scripts runs.
It is made aside and takes its place when it is whole and starts. A running server finds it at once.

Examples:
  $ sallyport engine install codex
  $ sallyport engine install opencode@1.18.33`;

function addInstall(engine: Command, context: CommandContext): void {
  engine
    .command("install")
    .description("bring a vendor's program into the programs folder of the home")
    .argument("<program>", PROGRAM_NAMES.join(", "))
    .option("--json", "as JSON")
    .addHelpText("after", INSTALL_HELP)
    .action(async (text: string, { json }: { json?: boolean }, command: Command) => {
      const { name, version } = wantedOf(text);
      const folder = await ownFolder(context, command);
      const { environment, now } = context.surroundings;
      const { screen } = context;
      const wanted = version ?? VENDOR_PROGRAMS[name].version;
      screen.line(screen.paint.dim(`installing ${VENDOR_PROGRAMS[name].package}@${wanted} …`));
      const done = await stoppable(context, (signal) =>
        installProgram({ name, version, folder, environment, now, signal }),
      );
      if (done === undefined) return;
      if (json === true) printJson(context, done);
      else {
        print(context, `${VENDOR_PROGRAMS[name].title} ${done.version} is at ${done.path}`);
        if (done.version !== VENDOR_PROGRAMS[name].version)
          screen.line(screen.paint.yellow(`! Sallyport was tested with ${VENDOR_PROGRAMS[name].version}`));
        screen.line(screen.paint.dim(`see which engines work now: ${context.surroundings.name} engine list`));
      }
    });
}

/** Undefined: a person stopped it, which is told. */
async function stoppable<Value>(
  context: CommandContext,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | undefined> {
  const controller = new AbortController();
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    context.surroundings.onSignal(signal, () => controller.abort()),
  );
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted || !(error instanceof Failure)) throw error;
    context.screen.line(error.message);
    context.end(EXIT.interrupted);
    return undefined;
  } finally {
    for (const stop of stops) stop();
  }
}

function addRemove(engine: Command, context: CommandContext): void {
  engine
    .command("remove")
    .description("remove a program that was installed here")
    .argument("<program>", PROGRAM_NAMES.join(", "))
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nOne from the PATH or from sallyport.yaml stays, and is used.\n\nExample:\n  $ sallyport engine remove codex",
    )
    .action(async (text: string, { json }: { json?: boolean }, command: Command) => {
      const { name } = wantedOf(text);
      const folder = await ownFolder(context, command);
      if (!(await removeProgram(name, folder)))
        throw new Failure("not_found", `${name} is not installed in ${folder}: \`engine list\` shows where it is`);
      if (json === true) printJson(context, { name, removed: true });
      else print(context, `${VENDOR_PROGRAMS[name].title} is gone from ${folder}`);
    });
}

/** The programs folder of a home on this machine, which others cannot change: what is in it is run. */
async function ownFolder(context: CommandContext, command: Command): Promise<string> {
  await ownSettingsFile(context, command);
  const folder = settingsFor(context, command).programsFolder.value;
  refuseUntrusted([{ path: folder, rule: "unchanged" }], context.surroundings.environment);
  return folder;
}
