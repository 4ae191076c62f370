import { Command } from "commander";
import { addAcp } from "./commands/acp.ts";
import { addApprove } from "./commands/approve.ts";
import { addAttach } from "./commands/attach.ts";
import { addBackup } from "./commands/backup.ts";
import { addChanges } from "./commands/changes.ts";
import { addContext } from "./commands/context.ts";
import { addConnection } from "./commands/connection.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addEngine } from "./commands/engine.ts";
import { addExec } from "./commands/exec.ts";
import { addLongRun } from "./commands/long-run.ts";
import { addSchedule, addWebhook } from "./commands/triggers.ts";
import { addHook } from "./commands/hook.ts";
import { addHome } from "./commands/home.ts";
import { addIdentity } from "./commands/identity.ts";
import { addJobs } from "./commands/jobs.ts";
import { addExport } from "./commands/export.ts";
import { addSearch } from "./commands/search.ts";
import { addImport } from "./commands/import.ts";
import { addKey } from "./commands/key.ts";
import { addModels } from "./commands/models.ts";
import { addMount } from "./commands/mount.ts";
import { addMcp } from "./commands/mcp.ts";
import { addNotify } from "./commands/notify.ts";
import { addPhone } from "./commands/phone.ts";
import { addPolicy } from "./commands/policy.ts";
import { addPrice } from "./commands/price.ts";
import { addProvider } from "./commands/provider.ts";
import { addPrune } from "./commands/prune.ts";
import { addRun } from "./commands/run.ts";
import { addServe } from "./commands/serve.ts";
import { addSessions } from "./commands/sessions.ts";
import { addToken } from "./commands/token.ts";
import { addTools } from "./commands/tools.ts";
import { addTunnel } from "./commands/tunnel.ts";
import { addUsage } from "./commands/usage.ts";
import { addPool, addWorkers } from "./commands/workers.ts";
import { Failure } from "../protocol/index.ts";
import { complain, openContext, type CommandContext } from "./context.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import type { ProcessContext } from "./surroundings.ts";

const HELP = `
Commands work with a server that runs on the home folder, or without one. Another server: --server and --token, or
SALLYPORT_URL and SALLYPORT_TOKEN.

Example:
  $ sallyport run "create hello.txt with hello world"`;

/** Runs one command line to its end and returns the exit code. Never throws. */
export async function runCommandLine(words: readonly string[], surroundings: ProcessContext): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const context = openContext(surroundings, (ended) => {
    code = ended;
  });
  try {
    await programFor(context).parseAsync([...words], { from: "user" });
    return code;
  } catch (error) {
    return complain(context, error);
  }
}

/** In the order of `--help`. */
const COMMANDS = [
  addServe,
  addRun,
  addJobs,
  addLongRun,
  addSchedule,
  addWebhook,
  addAttach,
  addSessions,
  addContext,
  addExport,
  addSearch,
  addImport,
  addApprove,
  addChanges,
  addToken,
  addKey,
  addNotify,
  addPhone,
  addIdentity,
  addTunnel,
  addExec,
  addPolicy,
  addUsage,
  addWorkers,
  addPool,
  addPrune,
  addBackup,
  addEngine,
  addProvider,
  addPrice,
  addModels,
  addConnection,
  addMount,
  addDoctor,
  addHome,
  addHook,
  addTools,
  addAcp,
  addMcp,
] as const;

function programFor(context: CommandContext): Command {
  const { surroundings } = context;
  const program = new Command("sallyport");
  program
    .description("one guarded door between coding agents and everything they could harm")
    .version(surroundings.version)
    .option(
      "--home <folder>",
      "where Sallyport keeps its data (default: a folder of your own for this one, see `sallyport home`)",
    )
    .option("--server <url>", "use the server at this address")
    .option("--token <token>", "who you are to that server")
    .helpCommand(false)
    .showHelpAfterError("(add --help to see what there is)")
    .addHelpText("after", HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void surroundings.output.write(text),
      writeErr: (text) => void surroundings.errors.write(text),
    });
  for (const add of COMMANDS) add(program, context);
  return program.hook("preAction", (_program, command) => refuseEmptyArguments(command));
}

/** An unset variable of a shell is an empty word: `sallyport sessions close "$SESSION"`. */
function refuseEmptyArguments({ registeredArguments, args }: Command): void {
  for (const [index, argument] of registeredArguments.entries()) {
    const words = argument.variadic ? args.slice(index) : args.slice(index, index + 1);
    const isEmpty = argument.variadic ? words[0]?.trim() === "" : words.some((word) => word.trim() === "");
    if (isEmpty) throw new Failure("invalid_request", `the ${argument.name()} is empty; --help says what it is`);
  }
}
