import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import {
  BRIDGE_CONTROLS,
  BridgeControl,
  defined,
  Failure,
  LIMITS,
  mistakeWords,
  ThreadMapping,
  type CreateSession,
  type SessionView,
} from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import type { Bridge, BridgeRun } from "./bridge/bridge.ts";
import { BridgeChoices, type SubmitRun } from "./bridge/choices.ts";
import { RowFeed } from "./bridge/feed.ts";
import { checkEngine } from "./bridge/providers.ts";
import { FollowedThreads } from "./bridge/threads.ts";
import type { SocketConnection } from "./connection.ts";
import { failureOf } from "./failure-of.ts";
import type { Guard } from "./guard.ts";
import { stopWork } from "./stop.ts";
import type { SurfaceOptions } from "./surface.ts";

interface BridgePeer {
  readonly caller: Caller;
  readonly connection: SocketConnection;
  readonly request: IncomingMessage;
}

type Answer = Extract<BridgeControl, { control: "approval.answer" }>;

/** The key in a session's metadata that says it was started here; later clients are told about it. */
const SURFACE = "thread";

/** Document 002's `/bridge`: the rows of every run that this client may see, and its controls. */
export class BridgeSocket {
  readonly #options: SurfaceOptions;
  readonly #guard: Guard;
  readonly #bridge: Bridge;
  readonly #caller: Caller;
  readonly #connection: SocketConnection;
  readonly #threads: FollowedThreads;
  readonly #opened: Promise<void>;
  readonly #choices: BridgeChoices;
  /** Where runs without `resumeId` go: a session's id, `last`, or `none` for a new one. */
  #resume = "none";
  /** Threads in which this socket started a run that may still be active, the newest last. */
  #submitted: readonly string[] = [];
  #last: string | undefined;

  constructor(options: SurfaceOptions, door: { readonly guard: Guard; readonly bridge: Bridge }, peer: BridgePeer) {
    this.#options = options;
    this.#guard = door.guard;
    this.#bridge = door.bridge;
    this.#caller = peer.caller;
    this.#connection = peer.connection;
    this.#choices = new BridgeChoices(options, peer.caller);
    this.#threads = new FollowedThreads(options, {
      caller: peer.caller,
      feed: new RowFeed(peer.connection),
      choices: this.#choices,
    });
    const { closed } = peer.connection;
    closed.addEventListener("abort", () => this.#threads.close());
    const query = new URLSearchParams(peer.request.url?.split("?", 2)[1] ?? "");
    this.#choose(query.get("mapping"));
    // Join first, then replay: a run that begins in between is in one of the two.
    door.bridge.join(this, closed);
    const replay = query.get("replay") === "off" ? Promise.resolve() : this.#replay();
    this.#opened = replay.catch((error: unknown) => this.#refuse(error));
    peer.connection.listen(
      (message) => this.#take(message),
      (failure) => this.#refuse(failure),
    );
  }

  follow(run: BridgeRun): void {
    this.#opened
      .then(() => (this.#connection.closed.aborted ? undefined : this.#threads.follow(run)))
      .catch((error: unknown) => this.#refuse(error));
  }

  #choose(mapping: string | null): void {
    if (mapping === null) return;
    const parsed = ThreadMapping.safeParse(mapping);
    if (parsed.success) this.#choices.mapping = parsed.data;
    else this.#refuse(new Failure("invalid_request", `mapping: ${ThreadMapping.options.join(" or ")}`));
  }

  /** The newest threads that this client may see, the oldest first: each from the beginning of a turn. */
  async #replay(): Promise<void> {
    const { sessions } = this.#options.gateway;
    const known = await this.#started();
    const others = this.#bridge.recent.filter((id) => known.every((session) => session.id !== id));
    const more = await Promise.all(others.map((id) => sessions.get(this.#caller, id).catch(() => undefined)));
    const newest = [...known, ...more.filter((session) => session !== undefined)]
      .toSorted((left, right) => left.updated_at.localeCompare(right.updated_at))
      .slice(-LIMITS.bridgeReplayThreads);
    for (const session of newest) {
      if (this.#connection.closed.aborted) return;
      const after = await this.#beginning(session);
      await this.#threads.follow({ session_id: session.id, after }, session.seq);
    }
  }

  /** The newest sessions started at the bridge that this client may see. */
  async #started(): Promise<readonly SessionView[]> {
    const { sessions } = await this.#options.gateway.sessions.list(this.#caller, { limit: LIMITS.pageSize });
    return sessions.filter(({ settings }) => settings.metadata?.["surface"] === SURFACE);
  }

  async #beginning({ id, seq, forked_from }: SessionView): Promise<number> {
    const own = forked_from?.seq ?? 0;
    const limit = LIMITS.bridgeReplayEvents;
    if (seq - own <= limit) return own;
    const after = seq - limit;
    const events = await this.#options.gateway.sessions.events(this.#caller, id, { after, limit });
    const turn = events.find(({ type }) => type === "turn.started");
    return turn?.seq === undefined ? after : turn.seq - 1;
  }

  async #take(raw: unknown): Promise<void> {
    this.#guard.meter(this.#caller);
    const parsed = BridgeControl.safeParse(raw);
    if (!parsed.success) throw new Failure("invalid_request", wrong(raw, parsed.error.issues[0]));
    const message = parsed.data;
    switch (message.control) {
      case "run.submit":
        return this.#submit(message);
      case "run.abort":
        return this.#abort(message.threadId);
      case "provider.select":
        this.#choices.selectProvider(message.provider);
        return this.#status();
      case "claude.session.resume":
        await this.#reuse(message.sessionId);
        return this.#status();
      case "mapping.select":
        this.#choices.mapping = message.mapping;
        return this.#status();
      case "options.select":
        this.#choices.selectOptions(message);
        return this.#status();
      case "approval.answer":
        return this.#answer(message);
      case "bridge.status":
        return this.#status();
    }
  }

  async #submit(message: SubmitRun): Promise<void> {
    const { sessions } = this.#options.gateway;
    const prompt = { text: message.text };
    const base = await this.#target(message);
    if (base !== undefined) checkEngine({ id: base.id, engine: base.settings.engine }, message);
    if (base !== undefined && base.status !== "complete" && base.status !== "failed") {
      const { seq } = await sessions.prompt(this.#caller, base.id, prompt, message.idempotencyKey);
      this.#began({ session_id: base.id, after: seq - 1 });
      return;
    }
    const beginning = base === undefined ? await this.#choices.settingsFor(message) : { resume_session_id: base.id };
    // Clients that know only the document would not see the question.
    const ending: Partial<CreateSession> = this.#choices.mapping === "rich" ? {} : { at_budget_end: "fail" };
    const request: CreateSession = { ...beginning, ...ending, prompt, metadata: { surface: SURFACE } };
    const session = await sessions.create(this.#caller, request, message.idempotencyKey);
    // A session that has ended continues as a fork, and its followers follow the fork from now on.
    if (base !== undefined && this.#resume === base.id) this.#resume = session.id;
    this.#began({ session_id: session.id, after: session.forked_from?.seq ?? 0 });
  }

  #began(run: BridgeRun): void {
    this.#last = run.session_id;
    const others = this.#submitted.filter((id) => id !== run.session_id);
    this.#submitted = [...others, run.session_id].slice(-LIMITS.bridgeThreads);
    this.#bridge.announce(run);
  }

  /** The session to continue; absent: a new one. */
  async #target({ resumeId = this.#resume, cwd }: SubmitRun): Promise<SessionView | undefined> {
    if (isNew(resumeId)) return undefined;
    return resumeId === "last" ? this.#newest(cwd) : this.#named(resumeId);
  }

  /** By our id, or by what the agent's own program calls the conversation. */
  async #named(id: string): Promise<SessionView> {
    const { sessions } = this.#options.gateway;
    try {
      return await sessions.get(this.#caller, id);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "not_found") throw error;
      const found = (await this.#started()).find(({ engine_session_id }) => engine_session_id === id);
      if (found === undefined) throw error;
      return found;
    }
  }

  /** The caller's newest thread, in a workspace if one is given: this socket's own first. */
  async #newest(cwd: string | undefined): Promise<SessionView | undefined> {
    const fits = ({ settings }: SessionView): boolean => cwd === undefined || settings.workspace === cwd;
    if (this.#last !== undefined) {
      const session = await this.#options.gateway.sessions.get(this.#caller, this.#last);
      if (fits(session)) return session;
    }
    const own = (await this.#started()).filter((session) => session.created_by.id === this.#caller.id && fits(session));
    return own.toSorted((left, right) => left.updated_at.localeCompare(right.updated_at)).at(-1);
  }

  async #reuse(wanted: string | null | undefined): Promise<void> {
    const resume = wanted === null ? "none" : (wanted ?? "last");
    if (isNew(resume) || resume === "last") this.#resume = isNew(resume) ? "none" : resume;
    else this.#resume = (await this.#named(resume)).id;
  }

  /** The answer's row goes to everybody who follows the thread. */
  async #answer({ approvalId, inputHash, decision, feedback, scope, updatedInput, interrupt }: Answer): Promise<void> {
    const fields = { feedback, scope, updated_input: updatedInput, interrupt };
    await this.#options.gateway.approvals.decide(this.#caller, approvalId, {
      decision,
      input_hash: inputHash,
      ...defined(fields),
    });
  }

  async #abort(named: string | undefined): Promise<void> {
    const { sessions } = this.#options.gateway;
    const id = named ?? (await this.#ownRuns()).at(-1) ?? this.#onlyRun();
    const session = await sessions.get(this.#caller, id);
    if (session.turn_id === undefined) throw new Failure("not_found", `nothing runs in thread ${id}`);
    // The turn's own end sends `turn.failed` to everybody who follows it.
    await stopWork(this.#options.gateway, this.#caller, id);
  }

  /** The runs of this socket that have not ended, the newest last. */
  async #ownRuns(): Promise<readonly string[]> {
    const { sessions } = this.#options.gateway;
    const mine = await Promise.all(this.#submitted.map((id) => sessions.get(this.#caller, id)));
    this.#submitted = mine.flatMap(({ id, turn_id }) => (turn_id === undefined ? [] : [id]));
    return this.#submitted;
  }

  #onlyRun(): string {
    const [first, ...others] = this.#threads.running;
    if (first === undefined) throw new Failure("not_found", "nothing runs");
    if (others.length === 0) return first;
    throw new Failure("conflict", `several runs are open; name one as threadId: ${[first, ...others].join(", ")}`);
  }

  async #status(): Promise<void> {
    const running = new Set([...this.#threads.running, ...(await this.#ownRuns())]);
    this.#connection.say({
      type: "bridge.status",
      ...(await this.#choices.describe()),
      resume: this.#resume,
      last_thread_id: this.#last ?? null,
      running: [...running],
    });
  }

  #refuse(error: unknown): void {
    const failure = failureOf(error);
    if (failure !== error) this.#options.log.error({ err: error }, "bridge socket failed");
    this.#connection.say({ type: "error", message: failure.message, code: failure.code });
  }
}

function isNew(resumeId: string): boolean {
  return resumeId === "new" || resumeId === "none";
}

function wrong(raw: unknown, issue: z.core.$ZodIssue | undefined): string {
  const control = typeof raw === "object" && raw !== null && "control" in raw ? raw.control : undefined;
  const said = typeof control === "string" ? control.slice(0, 100) : typeof control;
  if (issue === undefined || issue.path.length === 0 || issue.path[0] === "control")
    return `Unknown control: ${said}. There are: ${BRIDGE_CONTROLS.join(", ")}`;
  return `${said}: ${issue.path.join(".")}: ${mistakeWords(issue)}`;
}
