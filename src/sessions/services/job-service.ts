import {
  commandLine,
  defined,
  Failure,
  isToolItem,
  LIMITS,
  type CommandResult,
  type ComputationView,
  type ContainerView,
  type CreateComputation,
  type CreateContainer,
  type CreateSession,
  type JobKind,
  type JobStatus,
  type JobViews,
  type JournalEvent,
  type SessionView,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import type { Retention } from "../lifecycle/retention.ts";
import type { IdempotencyKey, SessionFilter } from "./session-requests.ts";
import type { SessionService } from "./session-service.ts";

const ENGINES: Readonly<Record<JobKind, string>> = { containers: "command", compute: "compute" };

type JobPage = Pick<SessionFilter, "cursor" | "limit">;
type CreateJobOptions = Pick<NonNullable<Parameters<SessionService["create"]>[3]>, "admit">;

/** Jobs: sessions that end with their one turn. Everything that holds for sessions holds for them. */
export class JobService {
  readonly #sessions: SessionService;
  readonly #retention: Retention;

  constructor(sessions: SessionService, retention: Retention) {
    this.#sessions = sessions;
    this.#retention = retention;
  }

  async createContainer(
    caller: Caller,
    request: CreateContainer,
    key: IdempotencyKey,
    options?: CreateJobOptions,
  ): Promise<ContainerView> {
    // A retry is answered with the session as it was, so the job is read again.
    const { id } = await this.#sessions.create(caller, commandSession(request), key, options);
    return this.get(caller, "containers", id);
  }

  async createComputation(
    caller: Caller,
    request: CreateComputation,
    key: IdempotencyKey,
    options?: CreateJobOptions,
  ): Promise<ComputationView> {
    const { id } = await this.#sessions.create(caller, computeSession(request), key, options);
    return this.get(caller, "compute", id);
  }

  async get<Kind extends JobKind>(caller: Caller, kind: Kind, id: string): Promise<JobViews[Kind]> {
    return this.#view(caller, kind, await this.session(caller, kind, id));
  }

  /** The newest first. A page may have fewer than its limit, and still a next one. */
  async list<Kind extends JobKind>(
    caller: Caller,
    kind: Kind,
    page: JobPage,
  ): Promise<{ readonly jobs: readonly JobViews[Kind][]; readonly next?: string }> {
    const { sessions, ...next } = await this.sessions(caller, kind, page);
    return { jobs: await Promise.all(sessions.map((view) => this.#view(caller, kind, view))), ...next };
  }

  /** The sessions of the same jobs. */
  async sessions(
    caller: Caller,
    kind: JobKind,
    page: JobPage,
  ): Promise<{ readonly sessions: readonly SessionView[]; readonly next?: string }> {
    const { sessions, next } = await this.#sessions.list(caller, { ...page, engine: ENGINES[kind] });
    return { sessions: sessions.filter((view) => isJob(view, kind)), ...defined({ next }) };
  }

  /** Ends it with everything that it runs. */
  async stop<Kind extends JobKind>(caller: Caller, kind: Kind, id: string): Promise<JobViews[Kind]> {
    await this.session(caller, kind, id);
    await this.#sessions.close(caller, id);
    return this.get(caller, kind, id);
  }

  /** Ends it and deletes its journal and files. */
  async remove(caller: Caller, kind: JobKind, id: string): Promise<void> {
    await this.session(caller, kind, id);
    await this.#retention.delete(caller, id);
  }

  /** The job's session; a Failure `not_found` if it is none of this kind. */
  async session(caller: Caller, kind: JobKind, id: string): Promise<SessionView> {
    const view = await this.#sessions.get(caller, id);
    if (isJob(view, kind)) return view;
    throw new Failure("not_found", `there is no job ${id} in ${kind}`);
  }

  #view<Kind extends JobKind>(caller: Caller, kind: Kind, view: SessionView): Promise<JobViews[Kind]>;
  #view(caller: Caller, kind: JobKind, view: SessionView): Promise<ContainerView | ComputationView> {
    return kind === "containers" ? this.#container(caller, view) : this.#computation(caller, view);
  }

  async #container(caller: Caller, view: SessionView): Promise<ContainerView> {
    const events = await this.#events(caller, view);
    const isInteractive = view.settings.job?.interactive === true;
    const results = resultsIn(events, isInteractive);
    const last = results.at(-1);
    const exit_code = results.findLast((result) => result.exit_code !== undefined)?.exit_code;
    const { sandbox, network = "host", workspace, workspace_mode = "direct" } = view.settings;
    const failed = last === undefined || last.exit_code === undefined ? wordsOf(last) : undefined;
    return {
      // What became of one command says nothing of an interactive job.
      ...commonOf(view, isInteractive ? undefined : (failureIn(events) ?? failed)),
      ...defined({ exit_code }),
      results,
      sandbox,
      network,
      workspace,
      workspace_mode,
    };
  }

  async #computation(caller: Caller, view: SessionView): Promise<ComputationView> {
    const events = await this.#events(caller, view);
    const texts = events.flatMap((event) =>
      event.type === "item.completed" && event.item.type === "agent_message" && event.item.status === "completed"
        ? [event.item.text]
        : [],
    );
    const ended = events.find((event) => event.type === "turn.completed");
    const { provider, model } = view.settings;
    return {
      ...commonOf(view, failureIn(events)),
      ...(view.settings.job?.texts === undefined
        ? defined({ text: texts.length === 0 ? undefined : texts.join("\n\n") })
        : defined({ embeddings: vectorsIn(ended?.structured_output) })),
      ...defined({ stop_reason: ended?.stop_reason }),
      usage: view.usage,
      provider,
      model,
    };
  }

  /** All of them: an interactive job may have many. */
  async #events(caller: Caller, { id }: SessionView): Promise<readonly JournalEvent[]> {
    const events: JournalEvent[] = [];
    for (;;) {
      const frames = await this.#sessions.events(caller, id, { after: events.length, limit: LIMITS.jobEvents });
      events.push(...frames.map((frame) => frame.value as JournalEvent));
      if (frames.length < LIMITS.jobEvents) return events;
    }
  }
}

/** The vectors that the engine has left. Undefined: there are none. */
function vectorsIn(output: unknown): number[][] | undefined {
  const { embeddings } = (output ?? {}) as { readonly embeddings?: readonly string[] };
  return embeddings?.map(vectorOf);
}

/** From 32-bit numbers in base64. */
function vectorOf(base64: string): number[] {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

function isJob({ settings }: SessionView, kind: JobKind): boolean {
  return settings.job !== undefined && settings.engine === ENGINES[kind];
}

function commandSession(request: CreateContainer): CreateSession {
  const { commands: asked = [], interactive, timeout_ms, memory_mib, max_output_chars, ...session } = request;
  const commands = asked.map((command) => (typeof command === "string" ? command : commandLine(command)));
  // A command without a folder would otherwise run in the server's own.
  const isEmpty = request.workspace === undefined && request.workspace_mode === undefined;
  return {
    ...session,
    ...(isEmpty ? { workspace_mode: "empty" as const } : {}),
    engine: ENGINES.containers,
    ...(interactive === true ? {} : { prompt: { text: commands.join("\n") } }),
    job: defined({
      timeout_ms,
      memory_mib,
      max_output_chars,
      interactive,
      commands: commands.length < 2 ? undefined : commands,
    }),
  };
}

function computeSession(request: CreateComputation): CreateSession {
  const { timeout_ms, messages, at_budget_end, texts, ...session } = request;
  return {
    ...session,
    ...(texts === undefined ? {} : { prompt: { text: texts.join("\n") } }),
    // It produces nothing but the model's answer, so it does not wait for money.
    at_budget_end: at_budget_end ?? "fail",
    engine: ENGINES.compute,
    workspace_mode: "empty",
    job: defined({ timeout_ms, messages, texts }),
  };
}

/** `error`: why it failed, if it did. */
function commonOf(view: SessionView, error: string | undefined) {
  const { id, created_at, updated_at, created_by, pending_approvals, cost_microusd } = view;
  const status = statusOf(view, error);
  const common = { id, status, created_at, updated_at, created_by, pending_approvals, cost_microusd };
  return { ...common, ...(status === "failed" ? { error: error ?? view.error?.message ?? "it failed" } : {}) };
}

function statusOf({ status, settings }: SessionView, error: string | undefined): JobStatus {
  switch (status) {
    case "creating":
      return "pending";
    case "ready":
    case "queued":
    case "paused":
    case "idle":
      return settings.job?.interactive === true ? "running" : "pending";
    case "working":
      return "running";
    case "pending_approval":
      return "waiting";
    case "complete":
      return error === undefined ? "complete" : "failed";
    case "failed":
      return "failed";
  }
}

function failureIn(events: readonly JournalEvent[]): string | undefined {
  const failed = events.find((event) => event.type === "turn.failed");
  return failed?.error.message;
}

/** Why a command has no exit code. */
function wordsOf(result: CommandResult | undefined): string {
  return result?.output.slice(0, LIMITS.previewSummaryChars) ?? "no command ran";
}

function resultsIn(events: readonly JournalEvent[], isInteractive: boolean): CommandResult[] {
  const results: CommandResult[] = [];
  let turn: string | undefined;
  for (const event of events) {
    if (event.type === "turn.started") turn = event.turn_id;
    if (event.type !== "item.completed" || !isToolItem(event.item)) continue;
    const { item } = event;
    if (item.type !== "command_execution") continue;
    const { command, status, exit_code, aggregated_output, duration_ms } = item;
    const turn_id = isInteractive ? turn : undefined;
    results.push({ command, status, output: aggregated_output, ...defined({ turn_id, exit_code, duration_ms }) });
  }
  return results;
}
