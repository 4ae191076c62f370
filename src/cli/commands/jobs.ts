import { resolve } from "node:path";
import { Option, type Command } from "commander";
import {
  Autonomy,
  defined,
  isTerminal,
  LIMITS,
  NetworkMode,
  SandboxChoice,
  Unattended,
  WorkspaceMode,
  type CreateComputation,
  type CreateContainer,
  type JobKind,
  type JournalEvent,
} from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { flagsOf, printJson, withServer, type CommandContext } from "../context.ts";
import { EXIT, programExit, type ExitCode } from "../exit.ts";
import { approveHint, follow, type Viewer } from "../follow.ts";
import { Interrupts } from "../interrupts.ts";
import { ProgramOutput } from "../show/program-output.ts";
import { TerminalTranscript } from "../show/transcript.ts";
import { dollarAmount, oneOf, wholeNumber } from "./options.ts";

const EXEC_HELP = `
The program's output goes to standard output, and its exit code is this command's. A program that did not end by itself
gives 1; a Ctrl-C stops it. Without --cwd it runs in an empty folder of its own.

Example:
  $ sallyport sandbox --network none -- python3 -c 'print(6 * 7)'`;

const COMPUTE_HELP = `
The answer goes to standard output.

Example:
  $ sallyport compute "Name three colours." --max-cost 0.05`;

interface CommonFlags {
  readonly profile?: string;
  readonly timeout?: number;
  readonly maxCost?: number;
  readonly unattended?: Unattended;
  readonly json?: boolean;
}

interface ExecFlags extends CommonFlags {
  readonly shell?: boolean;
  readonly cwd?: string;
  readonly sandbox?: SandboxChoice;
  readonly network?: NetworkMode;
  readonly workspaceMode?: WorkspaceMode;
  readonly autonomy?: Autonomy;
  readonly memory?: number;
  readonly maxOutput?: number;
}

interface ComputeFlags extends CommonFlags {
  readonly model?: string;
  readonly provider?: string;
  readonly systemPrompt?: string;
}

export function addJobs(program: Command, context: CommandContext): void {
  const sandbox = program
    .command("sandbox")
    .description("run a program in a sandbox, under policy")
    .argument("<program...>", "the program and its arguments, after --")
    .option("--shell", "the words are a command line for bash")
    .option("--cwd <folder>", "the folder to work in (default: an empty one)")
    .addOption(choice("--sandbox <kind>", "the walls around it", SandboxChoice))
    .addOption(choice("--network <mode>", "what it reaches", NetworkMode))
    .addOption(choice("--workspace-mode <mode>", "the folder itself, or files of its own", WorkspaceMode))
    .addOption(choice("--autonomy <level>", "how much runs without asking", Autonomy))
    .option(
      "--memory <MiB>",
      "the most memory it may use",
      wholeNumber({ from: LIMITS.jobMemoryLeastMib, to: LIMITS.jobMemoryMaxMib }),
    )
    .option(
      "--max-output <characters>",
      "end it when it writes more",
      wholeNumber({ from: 1, to: LIMITS.jobOutputMaxChars }),
    );
  commonOptions(sandbox)
    .addHelpText("after", EXEC_HELP)
    .action((words: readonly string[], flags: ExecFlags, command: Command) =>
      withServer(context, command, (connection) =>
        new JobCommand(context, connection, command).container(
          containerOf(context, connection, { words, flags }),
          flags,
        ),
      ),
    );
  const compute = program
    .command("compute")
    .description("ask a model once, without tools")
    .argument("<prompt>", "what to answer")
    .option("--model <name>", "the model to ask")
    .option("--provider <name>", "who answers")
    .option("--system-prompt <text>", "words for the model before the prompt");
  commonOptions(compute)
    .addHelpText("after", COMPUTE_HELP)
    .action((prompt: string, flags: ComputeFlags, command: Command) =>
      withServer(context, command, (connection) =>
        new JobCommand(context, connection, command).compute(computationOf(prompt, flags), flags),
      ),
    );
}

function choice(flags: string, words: string, schema: Parameters<typeof oneOf>[0]): Option {
  return new Option(flags, `${words}: ${schema.options.join(", ")}`).argParser(oneOf(schema));
}

function commonOptions(command: Command): Command {
  return command
    .option("--profile <name>", "the policy profile that holds")
    .option("--timeout <seconds>", "end it after this time", wholeNumber({ from: 1, to: LIMITS.jobTimeMaxMs / 1_000 }))
    .option("--max-cost <dollars>", "the most that it may spend", dollarAmount)
    .addOption(choice("--unattended <what>", "if nobody answers an approval in time", Unattended))
    .option("--json", "what became of it as JSON, and nothing else");
}

function commonOf({ profile, timeout, maxCost, unattended }: CommonFlags) {
  const timeout_ms = timeout === undefined ? undefined : timeout * 1_000;
  return defined({ profile, timeout_ms, max_cost_microusd: maxCost, unattended });
}

function containerOf(
  { surroundings }: CommandContext,
  { local }: ServerConnection,
  { words, flags }: { readonly words: readonly string[]; readonly flags: ExecFlags },
): CreateContainer {
  const { shell, cwd, sandbox, network, workspaceMode, autonomy, memory, maxOutput } = flags;
  const workspace = local && cwd !== undefined ? resolve(surroundings.cwd, cwd) : cwd;
  return {
    commands: [shell === true ? words.join(" ") : [...words]],
    ...defined({ workspace, sandbox, network, workspace_mode: workspaceMode, autonomy }),
    ...defined({ memory_mib: memory, max_output_chars: maxOutput }),
    ...commonOf(flags),
  };
}

function computationOf(prompt: string, flags: ComputeFlags): CreateComputation {
  const { model, provider, systemPrompt } = flags;
  return { prompt: { text: prompt }, ...defined({ model, provider, system_prompt: systemPrompt }), ...commonOf(flags) };
}

/** Starts a job, shows it to its end and asks its questions. */
class JobCommand {
  readonly #context: CommandContext;
  readonly #connection: ServerConnection;
  readonly #command: Command;
  readonly #leaving = new AbortController();

  constructor(context: CommandContext, connection: ServerConnection, command: Command) {
    this.#context = context;
    this.#connection = connection;
    this.#command = command;
  }

  async container(request: CreateContainer, { json }: CommonFlags): Promise<ExitCode> {
    const { client } = this.#connection;
    const { id } = await client.createJob("containers", request);
    const { screen, surroundings } = this.#context;
    const viewer = new ProgramOutput({ screen, isTerminal: surroundings.output.isTTY === true });
    const left = await this.#watch("containers", { id, viewer: json === true ? SILENT : viewer });
    if (left !== undefined) return left;
    const view = await client.job("containers", id);
    if (json === true) printJson(this.#context, view);
    return view.status === "complete" ? programExit(view.exit_code ?? EXIT.failed) : EXIT.failed;
  }

  async compute(request: CreateComputation, { json }: CommonFlags): Promise<ExitCode> {
    const { client } = this.#connection;
    const { id } = await client.createJob("compute", request);
    const { screen, surroundings } = this.#context;
    const viewer = new TerminalTranscript({ screen, workspace: surroundings.cwd });
    const left = await this.#watch("compute", { id, viewer: json === true ? SILENT : viewer });
    if (left !== undefined) return left;
    const view = await client.job("compute", id);
    if (json === true) printJson(this.#context, view);
    return view.status === "complete" ? EXIT.done : EXIT.failed;
  }

  /** Until it has ended. The exit code of a person who left before; undefined: it has ended. */
  async #watch(
    kind: JobKind,
    { id, viewer }: { readonly id: string; readonly viewer: Viewer },
  ): Promise<ExitCode | undefined> {
    const { surroundings, screen } = this.#context;
    const { client, url } = this.#connection;
    let left: ExitCode = EXIT.interrupted;
    const interrupts = new Interrupts({
      surroundings,
      first: () => {
        screen.line(screen.paint.yellow("… stopping it; Ctrl-C again leaves"));
        client.stopJob(kind, id).catch(() => undefined);
      },
      leave: (signal) => {
        if (signal !== "SIGINT") left = EXIT.terminated;
        this.#leaving.abort();
      },
    });
    try {
      const end = await follow(
        {
          context: this.#context,
          client,
          session_id: id,
          after: 0,
          viewer,
          interactive: viewer !== SILENT && surroundings.input.isTTY === true && surroundings.errors.isTTY === true,
          hint: approveHint(surroundings.name, flagsOf(this.#command), url),
          known: { seq: 0, pending: [] },
          signal: this.#leaving.signal,
          onInterrupt: () => interrupts.press(),
        },
        (event: JournalEvent) => isTerminal(event),
      );
      if (surroundings.output.isTTY === true) screen.endLine();
      return end === undefined && this.#leaving.signal.aborted ? left : undefined;
    } finally {
      interrupts.stop();
    }
  }
}

const SILENT: Viewer = { take: () => undefined };
