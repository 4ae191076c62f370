import { resolve } from "node:path";
import { Option, type Command } from "commander";
import type { SallyportClient } from "../../client/index.ts";
import {
  defined,
  Failure,
  PermissionMode,
  spendingWords,
  Unattended,
  type CreateSession,
  type JournalEvent,
  type Prompt,
  type SessionView,
} from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { flagsOf, withServer, type CommandContext } from "../context.ts";
import { EXIT, EXIT_HELP, exitCodeOf, isTurnEnd, type ExitCode } from "../exit.ts";
import { approveHint, follow, JsonLines, type Viewer } from "../follow.ts";
import { Interrupts } from "../interrupts.ts";
import { TerminalTranscript } from "../show/transcript.ts";
import { count, duration } from "../terminal/words.ts";
import { readImages } from "./images.ts";
import {
  addSessionOptions,
  collect,
  dollarAmount,
  oneOf,
  sessionSettings,
  wholeNumber,
  type SessionFlags,
} from "./options.ts";

interface RunCommandOptions extends SessionFlags {
  readonly systemPrompt?: string;
  readonly maxTurns?: number;
  readonly resume?: string;
  readonly now?: boolean;
  readonly attachImage?: readonly string[];
  readonly json?: boolean;
  readonly deltas?: boolean;
  readonly unattended?: Unattended;
  readonly timeout?: number;
}

const HELP = `
Keys: Ctrl-C interrupts the turn, a second one leaves; the session is kept either way.
An approval is asked in the terminal. Without one it waits until somebody answers it with \`sallyport approve\`.

${EXIT_HELP}

Example:
  $ sallyport run "create hello.txt with hello world"`;

export function addRun(program: Command, context: CommandContext): void {
  const command = program
    .command("run")
    .description("give an agent a task and watch it work")
    .argument("<task>", "what to do, in words")
    .option("--cwd <folder>", "the folder to work in (default: this one)");
  addSessionOptions(command)
    .addOption(
      new Option(
        "--permission-mode <mode>",
        `the same in an editor's words: ${PermissionMode.options.join(", ")}`,
      ).argParser(oneOf(PermissionMode)),
    )
    .option("--system-prompt <text>", "words for the agent before the task")
    .option("--max-turns <n>", "model calls before it stops", wholeNumber({ from: 1, to: 1_000 }))
    .option("--max-cost <dollars>", "the most that the session may spend before it asks for more", dollarAmount)
    .option("--resume <session>", "continue a session; with other settings, continue a fork of it")
    .option(
      "--now",
      "with --resume: send the task into the running turn, if there is one, instead of waiting for its end",
    )
    .option("--attach-image <file>", "an image for the agent to see; may be given several times", collect)
    .addOption(
      new Option(
        "--unattended <what>",
        "if nobody answers an approval in time: deny it, or park it until somebody does",
      ).argParser(oneOf(Unattended)),
    )
    .option("--timeout <seconds>", "interrupt the turn after this time", wholeNumber({ from: 1, to: 604_800 }))
    .option("--json", "one line of JSON per event on standard output, nothing else")
    .option("--deltas", "with --json: live text too")
    .addHelpText("after", HELP)
    .action(async (task: string, options: RunCommandOptions, command: Command) => {
      if (task.trim() === "") command.error("error: the task is empty");
      if (options.now === true && options.resume === undefined)
        command.error("error: --now needs --resume: it sends the task into the running turn of a session");
      await withServer(context, command, (connection) =>
        new RunCommand(context, connection, command, options).perform(task),
      );
    });
}

interface BegunTurn {
  readonly session_id: string;
  /** Changes when the prompt goes into a turn that runs already. */
  turn_id: string;
  /** Where the turn begins in the journal. */
  readonly after: number;
  readonly workspace: string;
  /** What it changes waits for a person. */
  readonly isReviewed: boolean;
}

class RunCommand {
  readonly #context: CommandContext;
  readonly #connection: ServerConnection;
  readonly #command: Command;
  readonly #options: RunCommandOptions;
  readonly #leaving = new AbortController();
  #left: ExitCode = EXIT.interrupted;
  #outOfTime = false;
  #unanswered = false;

  constructor(context: CommandContext, connection: ServerConnection, command: Command, options: RunCommandOptions) {
    this.#context = context;
    this.#connection = connection;
    this.#command = command;
    this.#options = options;
  }

  async perform(task: string): Promise<ExitCode> {
    const images = await readImages(this.#options.attachImage ?? [], this.#context.surroundings.cwd);
    const started = this.#context.surroundings.now();
    const begun = await this.#begin({ text: task, ...(images.length === 0 ? {} : { attachments: [...images] }) });
    const interrupts = new Interrupts({
      surroundings: this.#context.surroundings,
      first: () => this.#interrupt(begun, "interrupting; Ctrl-C again leaves, the session stays"),
      leave: (signal) => {
        if (signal !== "SIGINT") this.#left = EXIT.terminated;
        this.#leaving.abort();
      },
    });
    const timer = this.#startTimer(begun);
    try {
      const end = await this.#watch(begun, () => interrupts.press());
      this.#sayEnd(begun, end, this.#context.surroundings.now() - started);
      if (end === undefined || !isTurnEnd(end, begun.turn_id)) return await this.#leave(begun);
      return exitCodeOf(end, { unanswered: this.#unanswered, outOfTime: this.#outOfTime });
    } finally {
      clearTimeout(timer);
      interrupts.stop();
    }
  }

  /** A new session, a resumed one, or a fork of it if it must have other settings. */
  async #begin(prompt: Prompt): Promise<BegunTurn> {
    const { client } = this.#connection;
    const { resume } = this.#options;
    const asked = this.#asked();
    if (resume !== undefined && Object.keys(asked).length === 0) {
      const session = await client.session(resume);
      const when = this.#options.now === true ? { when: "now" as const } : {};
      const { turn_id, seq } = await client.prompt(resume, { ...prompt, ...when });
      if (session.status === "paused") {
        const { screen, surroundings } = this.#context;
        screen.line(
          screen.paint.yellow(`⏸ the session is paused; go on with: ${surroundings.name} sessions resume ${resume}`),
        );
      }
      return { session_id: resume, turn_id, after: seq - 1, ...shownSettings(session) };
    }
    const workspace =
      this.#connection.local && resume === undefined ? { workspace: this.#context.surroundings.cwd } : {};
    const session = await client.createSession({
      ...workspace,
      ...asked,
      ...(resume === undefined ? {} : { resume_session_id: resume }),
      prompt,
    });
    return {
      session_id: session.id,
      turn_id: session.turn_id ?? "",
      after: session.forked_from?.seq ?? 0,
      ...shownSettings(session),
    };
  }

  #asked(): CreateSession {
    const { systemPrompt, maxTurns, unattended, ...flags } = this.#options;
    const { local } = this.#connection;
    const cwd = local && flags.cwd !== undefined ? resolve(this.#context.surroundings.cwd, flags.cwd) : flags.cwd;
    const others = defined({ system_prompt: systemPrompt, max_turns: maxTurns, unattended });
    return { ...sessionSettings({ ...flags, cwd }), ...others };
  }

  #watch(begun: BegunTurn, onInterrupt: () => void): Promise<JournalEvent | undefined> {
    const { surroundings, screen } = this.#context;
    const { json = false, deltas = false } = this.#options;
    const viewer: Viewer = json
      ? new JsonLines((text) => void surroundings.output.write(text), deltas)
      : new TerminalTranscript({ screen, workspace: begun.workspace, ownTurn: begun.turn_id });
    return follow(
      {
        context: this.#context,
        client: this.#connection.client,
        session_id: begun.session_id,
        after: begun.after,
        viewer,
        interactive: !json && surroundings.input.isTTY === true && surroundings.errors.isTTY === true,
        hint: approveHint(surroundings.name, flagsOf(this.#command), this.#connection.url),
        known: { seq: begun.after, pending: [] },
        signal: this.#leaving.signal,
        onInterrupt,
      },
      (event) => {
        if (event.type === "approval.resolved" && event.outcome === "timed_out") this.#unanswered = true;
        if (event.type === "turn.steered" && event.prompt_id === begun.turn_id) begun.turn_id = event.turn_id;
        return isTurnEnd(event, begun.turn_id);
      },
    );
  }

  /** A server in this process takes its turn down with it: end the turn, or the next command on this home would resume it. */
  async #leave(begun: BegunTurn): Promise<ExitCode> {
    if (!this.#leaving.signal.aborted) return EXIT.failed;
    const { client, embedded } = this.#connection;
    if (embedded) await stopTurn(client, begun).catch(() => undefined);
    return this.#left;
  }

  #startTimer(begun: BegunTurn): NodeJS.Timeout | undefined {
    const { timeout } = this.#options;
    if (timeout === undefined) return undefined;
    return setTimeout(() => {
      this.#outOfTime = true;
      this.#interrupt(begun, `${duration(timeout * 1_000)} are over; interrupting`);
    }, timeout * 1_000);
  }

  #interrupt(begun: BegunTurn, words: string): void {
    const { screen } = this.#context;
    screen.line(screen.paint.yellow(`… ${words}`));
    stopTurn(this.#connection.client, begun).catch((error: unknown) => {
      screen.line(
        screen.paint.red(`the turn could not be interrupted: ${error instanceof Error ? error.message : "no answer"}`),
      );
    });
  }

  #sayEnd(begun: BegunTurn, end: JournalEvent | undefined, ms: number): void {
    const { screen } = this.#context;
    const parts: string[] = [];
    if (end?.type === "turn.completed" || end?.type === "turn.failed") {
      const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, model_calls } = end.usage;
      const input = input_tokens + cache_read_tokens + cache_write_tokens;
      parts.push(
        `${input.toLocaleString("en-US")} tokens in, ${output_tokens.toLocaleString("en-US")} out, ${count(model_calls, "model call")}`,
      );
      if (end.cost_microusd !== undefined && end.cost_microusd > 0)
        parts.push(spendingWords({ ...end, cost_microusd: end.cost_microusd }));
    }
    parts.push(
      duration(ms),
      `session ${begun.session_id}`,
      `go on: ${this.#context.surroundings.name} run --resume ${begun.session_id} "…"`,
    );
    screen.line(screen.paint.dim(parts.join(" · ")));
    if (begun.isReviewed)
      screen.line(`what it changed waits for you: ${this.#context.surroundings.name} changes list ${begun.session_id}`);
  }
}

function shownSettings({ settings }: SessionView): Pick<BegunTurn, "workspace" | "isReviewed"> {
  return { workspace: settings.workspace, isReviewed: settings.review === "at_end" };
}

/** Ends only this command's turn: one that still waits leaves the queue. Prompts behind it wait for `sessions resume`. */
async function stopTurn(client: SallyportClient, { session_id, turn_id }: BegunTurn): Promise<void> {
  const { queue } = await client.session(session_id);
  if (queue.some((queued) => queued.turn_id === turn_id)) {
    try {
      await client.removePrompt(session_id, turn_id);
      return;
    } catch (error) {
      // It began meanwhile.
      if (!(error instanceof Failure) || error.code !== "not_found") throw error;
    }
  }
  const { turn_id: open } = await client.session(session_id);
  if (open === turn_id) await client.interrupt(session_id, { hold_queue: true });
}
