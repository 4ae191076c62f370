import { Option, type Command } from "commander";
import {
  Autonomy,
  defined,
  dollars,
  PermissionMode,
  spendingWords,
  Status,
  type ConfigureSession,
  type SessionView,
} from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { oneLine, visible } from "../terminal/visible.ts";
import { age } from "../terminal/words.ts";
import { addGrants } from "./grants.ts";
import { addLabels } from "./labels.ts";
import { dollarAmount, oneOf, wholeNumber } from "./options.ts";

interface ListOptions {
  readonly status?: Status;
  readonly limit: number;
  readonly json?: boolean;
}

interface SetSessionOptions {
  readonly model?: string;
  readonly autonomy?: Autonomy;
  readonly mode?: PermissionMode;
}

const VERBS = {
  interrupt: "end the open turn; the session stays usable, and queued prompts wait for resume",
  pause: "begin no further turn and let no further tool run",
  resume: "go on after a pause",
  close: "end the session and all its processes",
} as const;

export function addSessions(program: Command, context: CommandContext): void {
  const sessions = program
    .command("sessions")
    .description("list sessions, look at one, and control it")
    .helpCommand(false)
    .addHelpText("after", "\nExample:\n  $ sallyport sessions --status pending_approval");
  addList(sessions, context);
  sessions
    .command("show")
    .description("one session, whole")
    .argument("<session>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport sessions show ses_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const session = await client.session(id);
        if (json === true) printJson(context, session);
        else for (const line of describe(session)) print(context, line);
      }),
    );
  for (const verb of ["interrupt", "pause", "resume", "close"] as const) {
    sessions
      .command(verb)
      .description(VERBS[verb])
      .argument("<session>")
      .addHelpText("after", `\nExample:\n  $ sallyport sessions ${verb} ses_01jqk3v7w8x9y2z3a4b5c6`)
      .action((id: string, _options: unknown, command: Command) =>
        withServer(context, command, async ({ client }) => {
          const session = await (verb === "interrupt"
            ? client.interrupt(id, { hold_queue: true })
            : client.control(id, verb));
          print(context, `${session.id} is ${session.status}${heldWords(session)}`);
        }),
      );
  }
  addDelete(sessions, context);
  addFork(sessions, context);
  addBudget(sessions, context);
  addSet(sessions, context);
  addGrants(sessions, context);
  addLabels(sessions, context);
}

/** Prompts held back by a stop, and how to continue them. */
function heldWords({ id, queue }: SessionView): string {
  const held = queue.filter((queued) => queued.held === true).length;
  if (held === 0) return "";
  return `; ${held} queued ${held === 1 ? "prompt is" : "prompts are"} held: sallyport sessions resume ${id}`;
}

function addList(sessions: Command, context: CommandContext): void {
  sessions
    .command("list", { isDefault: true })
    .allowExcessArguments()
    .description("the newest sessions; the same as without a command")
    .addOption(new Option("--status <status>", `only these: ${Status.options.join(", ")}`).argParser(oneOf(Status)))
    .option("--limit <n>", "at most this many", wholeNumber({ from: 1, to: 1_000 }), 20)
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport sessions list --limit 5")
    .action(async (options: ListOptions, command: Command) => {
      // An unknown word ends up here, because listing is the default command.
      const [unknown] = command.args;
      if (unknown !== undefined) command.error(`error: unknown command '${unknown}'`);
      await withServer(context, command, async ({ client }) => {
        const { status, limit } = options;
        const page = await client.sessions({ limit, ...(status === undefined ? {} : { status }) });
        if (options.json === true) printJson(context, page);
        else for (const line of list(page.sessions, context)) print(context, line);
      });
    });
}

function addDelete(sessions: Command, context: CommandContext): void {
  sessions
    .command("delete")
    .description("end sessions and delete their journal, approvals and files; forks of them and usage stay")
    .argument("<session...>")
    .addHelpText("after", "\nExample:\n  $ sallyport sessions delete ses_01jqk3v7w8x9y2z3a4b5c6")
    .action((ids: readonly string[], _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        for (const id of ids) {
          await client.deleteSession(id);
          print(context, `${id} is deleted`);
        }
      }),
    );
}

function addFork(sessions: Command, context: CommandContext): void {
  sessions
    .command("fork")
    .description("a new session that begins with this one's journal")
    .argument("<session>")
    .option("--after-turn <turn>", "only up to the end of this turn")
    .addHelpText("after", "\nExample:\n  $ sallyport sessions fork ses_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, { afterTurn }: { afterTurn?: string }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const child = await client.fork(id, afterTurn === undefined ? {} : { after_turn: afterTurn });
        print(context, child.id);
        context.screen.line(
          context.screen.paint.dim(`go on with it: ${context.surroundings.name} run --resume ${child.id} "…"`),
        );
      }),
    );
}

function addBudget(sessions: Command, context: CommandContext): void {
  sessions
    .command("budget")
    .description("set the most that a session may spend; a turn that waits for money continues")
    .argument("<session>")
    .argument("<dollars>", "such as 2.50", dollarAmount)
    .addHelpText("after", "\nExample:\n  $ sallyport sessions budget ses_01jqk3v7w8x9y2z3a4b5c6 2.50")
    .action((id: string, max_cost_microusd: number, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const session = await client.setBudget(id, { max_cost_microusd });
        print(context, `${session.id} may spend ${dollars(max_cost_microusd)}; ${spendingWords(session)}`);
      }),
    );
}

function addSet(sessions: Command, context: CommandContext): void {
  sessions
    .command("set")
    .description("change a session's model from its next turn on, its autonomy or mode from its next tool call on")
    .argument("<session>")
    .option("--model <name>", "a model of the session's provider")
    .addOption(new Option("--autonomy <level>", Autonomy.options.join(", ")).argParser(oneOf(Autonomy)))
    .addOption(new Option("--mode <mode>", PermissionMode.options.join(", ")).argParser(oneOf(PermissionMode)))
    .addHelpText("after", "\nExample:\n  $ sallyport sessions set ses_01jqk3v7w8x9y2z3a4b5c6 --mode plan")
    .action(async (id: string, options: SetSessionOptions, command: Command) => {
      const { model, autonomy, mode } = options;
      if (model === undefined && autonomy === undefined && mode === undefined)
        command.error("error: name what to change: --model, --autonomy or --mode");
      await withServer(context, command, async ({ client }) => {
        const change: ConfigureSession = defined({ model, autonomy, permission_mode: mode });
        const { settings } = await client.configure(id, change);
        const inMode = settings.permission_mode === undefined ? "" : `, mode ${settings.permission_mode}`;
        print(context, visible(`${id}: model ${settings.model}, autonomy ${settings.autonomy}${inMode}`));
      });
    });
}

function list(sessions: readonly SessionView[], context: CommandContext): readonly string[] {
  if (sessions.length === 0) return [`no sessions; start one with: ${context.surroundings.name} run "…"`];
  const now = context.surroundings.now();
  const rows = sessions.map((session) => [
    session.id,
    session.status,
    age(now - Date.parse(session.updated_at)),
    String(session.turns),
    session.pending_approvals.length === 0 ? "" : String(session.pending_approvals.length),
    session.settings.model,
    oneLine(session.title, 80),
  ]);
  return table([["SESSION", "STATUS", "AGE", "TURNS", "ASKS", "MODEL", "TITLE"], ...rows], width(context));
}

function describe(session: SessionView): readonly string[] {
  const { settings, usage } = session;
  const rows: readonly (readonly [string, string])[] = [
    ["session", session.id],
    ["title", oneLine(session.title, 200)],
    ["status", session.error === undefined ? session.status : `${session.status}: ${session.error.message}`],
    ["workspace", settings.source ?? settings.workspace],
    ["review", settings.review === "at_end" ? "at the end of each turn" : ""],
    ["works in", settings.workspace_mode === undefined ? "" : `a ${settings.workspace_mode}: ${settings.workspace}`],
    ["model", `${settings.model} (${settings.provider}, engine ${settings.engine}, sandbox ${settings.sandbox})`],
    [
      "policy",
      `${settings.profile}, autonomy ${settings.autonomy}${settings.permission_mode === undefined ? "" : `, mode ${settings.permission_mode}`}, unattended ${settings.unattended}`,
    ],
    [
      "turns",
      `${session.turns}${session.turn_id === undefined ? "" : `, open: ${session.turn_id}`}, ${session.queue.length} waiting`,
    ],
    ["approvals", session.pending_approvals.join(", ")],
    ["granted", session.grants.join(", ")],
    [
      "tokens",
      `${usage.input_tokens} in, ${usage.output_tokens} out, ${usage.cache_read_tokens} from cache, ${usage.model_calls} model calls`,
    ],
    [
      "cost",
      `${spendingWords(session)}${session.limit_microusd === undefined ? "" : ` of ${dollars(session.limit_microusd)}`}`,
    ],
    ["events", String(session.seq)],
    ["created", `${session.created_at} by ${session.created_by.name}`],
    ["updated", session.updated_at],
    [
      "forked from",
      session.forked_from === undefined ? "" : `${session.forked_from.session_id} at ${session.forked_from.seq}`,
    ],
  ];
  return rows.filter(([, value]) => value !== "").map(([name, value]) => `${name.padEnd(12)} ${visible(value)}`);
}
