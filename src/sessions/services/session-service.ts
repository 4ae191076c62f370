import { ACCOUNTS } from "../../ledger/index.ts";
import {
  wellFormedPrompt,
  defined,
  Failure,
  LIMITS,
  type ConfigureSession,
  type CreateSession,
  type ForkSession,
  type ImportSession,
  type Interrupt,
  type LabelSession,
  type Profile,
  type PromptAccepted,
  type SessionMcpServers,
  type SessionSettings,
  type SessionView,
  type SetBudget,
  type SubmitPrompt,
} from "../../protocol/index.ts";
import { auditRow, authorize, authorizeFor, scopeOf, type Caller } from "../access/access.ts";
import type { ReceiptRow } from "../../store/index.ts";
import type { ClientTool, Unregister } from "../../tools/index.ts";
import { SessionConcurrency } from "../access/concurrency.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Frame } from "../core/frames.ts";
import { offeredTools } from "../core/host.ts";
import { refuseUnsteerable } from "../core/steering.ts";
import { publishedPage } from "../core/journal.ts";
import { foreignTurns } from "../exports/imported.ts";
import { heirOf, inherited } from "./session-lineage.ts";
import { SessionPlaces } from "./workspaces/session-places.ts";
import type {
  CreateOptions,
  IdempotencyKey,
  PromptReceipt,
  SessionBeginning,
  SessionFilter,
  SessionServiceParts,
} from "./session-requests.ts";
import { setLimit } from "../budget/set-limit.ts";
import type { Beside, Session } from "../core/session.ts";
import { refusalWhileStalled, refuseNewWork, whileStoring } from "../core/storing.ts";
import { settingsChange, settingsFor } from "../settings/settings.ts";
import { routedWords } from "../routing/router.ts";
import { checkCursor, watch } from "../core/watch.ts";
import { isFinal, newState, view, viewRow, type SessionState } from "../core/state.ts";

/** What callers may do with sessions. */
export class SessionService {
  readonly #parts: SessionServiceParts;
  readonly #concurrency: SessionConcurrency;
  readonly #places: SessionPlaces;

  constructor(parts: SessionServiceParts) {
    this.#parts = parts;
    this.#concurrency = new SessionConcurrency(parts.dependencies.store.read);
    this.#places = new SessionPlaces(parts);
  }

  async create(
    caller: Caller,
    request: CreateSession,
    key: IdempotencyKey,
    { admit, given, imported, documents }: CreateOptions = {},
  ): Promise<SessionView> {
    authorize(caller, "session.create");
    const parent =
      request.resume_session_id === undefined
        ? undefined
        : await this.#session(caller, "session.control", request.resume_session_id);
    const sponsor =
      request.parent_session_id === undefined
        ? parent
        : await this.#session(caller, "session.control", request.parent_session_id);
    return this.#parts.receipts.once(
      { caller, key, question: imported === undefined ? ["create", request] : ["import", imported, request] },
      async (receipts) => {
        await this.#requireProof(caller, request.provider ?? parent?.state.settings.provider);
        const settings = await this.#settings(caller, request, { parent, given });
        if (key === undefined && this.#profile(caller, settings).require_idempotency === true)
          throw new Failure(
            "idempotency_required",
            "this policy wants an Idempotency-Key with each new session; add one",
          );
        await admit?.(settings);
        return this.#concurrency.make(caller, this.#profile(caller, settings), () =>
          this.#begin(
            caller,
            { settings, parent, sponsor, prompt: request.prompt, servers: request.mcp_servers, imported, documents },
            receipts,
          ),
        );
      },
    );
  }

  /** An agent proves to a tunnel who it is before it begins a session there. */
  #requireProof(caller: Caller, provider: string | undefined): Promise<void> {
    const { dependencies, tunnelAuth } = this.#parts;
    return tunnelAuth.requireProvider(caller, provider ?? dependencies.models.defaultProvider);
  }

  /** A new session that begins with the conversation of another program. */
  async import(
    caller: Caller,
    { conversation, session = {} }: ImportSession,
    key: IdempotencyKey,
  ): Promise<SessionView> {
    const { prompt, resume_session_id, parent_session_id, job } = session;
    if ([prompt, resume_session_id, parent_session_id, job].some((given) => given !== undefined))
      throw new Failure(
        "invalid_request",
        "an imported session takes no prompt, resume_session_id, parent_session_id or job: send the prompt when it is there",
      );
    return this.create(caller, session, key, { imported: conversation });
  }

  async #begin(
    caller: Caller,
    { settings: asked, parent, sponsor, prompt: given, servers, imported, documents }: SessionBeginning,
    receipts: (answer: SessionView) => readonly ReceiptRow[],
  ): Promise<SessionView> {
    const fork_seq = parent?.state.settled_seq ?? 0;
    const lineage = parent === undefined ? [] : inherited(parent, fork_seq);
    const ancestors = sponsor === undefined ? [] : heirOf(sponsor);
    const isNew = parent === undefined && imported === undefined;
    const place = await this.#places.place({ caller, settings: asked, parent, isNew });
    const { settings } = place;
    const prompt = await this.#places.expanded(caller, place, given);
    const at = new Date(this.#parts.dependencies.clock.now()).toISOString();
    const born = (id: string): SessionState =>
      newState({ id, settings, at, by: ref(caller), token: scopeOf(caller), lineage, ancestors });
    const warm = await place.begin?.(born);
    const newId = warm?.state.id ?? place.id ?? this.#parts.dependencies.newId("ses");
    // Before it is on the disk: a turn may begin at once.
    await this.#keepValues(newId, { servers, settings, parent });
    const refusal = refusalWhileStalled(this.#parts.dependencies);
    if (refusal !== undefined) {
      await Promise.all([warm?.halt(), place.undo()]);
      throw refusal;
    }
    const session = warm === undefined ? this.#parts.registry.add(born(newId)) : this.#parts.registry.adopt(warm);
    const { id } = session.state;
    const durable = [
      session.execute(
        parent === undefined
          ? { type: "open" }
          : { type: "fork", from: { session_id: parent.state.id, seq: fork_seq } },
      ),
    ];
    if (settings.routed_from !== undefined && parent === undefined) {
      const message = routedWords(settings, settings.routed_from);
      durable.push(session.execute({ type: "notice", message }));
    }
    if (imported !== undefined) {
      const turns = foreignTurns(imported, this.#parts.dependencies.newId);
      durable.push(session.execute({ type: "import", source: imported.source, turns, by: ref(caller) }));
    }
    this.#parts.dependencies.reach("session.decided");
    if (prompt !== undefined) durable.push(session.prompt(wellFormedPrompt(prompt), ref(caller)).then(() => undefined));
    const answer = view(session.state);
    const audited = { action: "session.create", target: id, details: { workspace: settings.workspace } };
    // Same turn of the event loop, so same commit: a retry finds all of this or nothing.
    durable.push(
      this.#parts.dependencies.store.commit(
        {
          receipts: receipts(answer),
          documents: documents?.(answer) ?? [],
          audit: [auditRow(this.#parts.dependencies, caller, audited)],
        },
        { untilStored: true },
      ),
    );
    await Promise.all(durable);
    this.#parts.dependencies.reach("session.durable");
    if (isNew && asked.workspace_mode !== "empty") this.#parts.expect(asked);
    return answer;
  }

  async #keepValues(
    id: string,
    { servers, settings, parent }: Pick<SessionBeginning, "servers" | "settings" | "parent">,
  ): Promise<void> {
    const { mcpValues } = this.#parts.dependencies;
    if (servers !== undefined) await mcpValues.keep(id, servers);
    else if (settings.mcp_servers !== undefined && parent !== undefined) await mcpValues.copy(parent.state.id, id);
  }

  /** As on the disk: a caller that reads `idle` here also finds the answer in the journal. */
  async get(caller: Caller, id: string): Promise<SessionView> {
    const session = await this.#session(caller, "session.read", id);
    const { state } = session;
    if (this.#parts.dependencies.store.health().stall !== undefined) return view(session.stored);
    await session.settled();
    return view(state);
  }

  async list(
    caller: Caller,
    filter: SessionFilter,
  ): Promise<{ readonly sessions: readonly SessionView[]; readonly next?: string }> {
    const scope = authorize(caller, "session.read");
    const { search, limit, ...exact } = filter;
    const words = search?.toLowerCase().split(/\s+/).filter(Boolean).slice(0, LIMITS.searchWords) ?? [];
    const page = await this.#parts.dependencies.store.read.sessions({
      limit,
      ...defined(exact),
      ...(words.length === 0 ? {} : { words }),
      ...(scope === "own" ? { created_by: caller.id } : {}),
    });
    return {
      sessions: page.rows.map(viewRow),
      ...(page.next === undefined ? {} : { next: page.next }),
    };
  }

  async prompt(
    caller: Caller,
    id: string,
    request: SubmitPrompt,
    key: IdempotencyKey,
    { keepMs, question = ["prompt", id, request] }: PromptReceipt = {},
  ): Promise<PromptAccepted> {
    const session = await this.#session(caller, "session.control", id);
    return this.#parts.receipts.once({ caller, key, question, keepMs }, async (receipts) => {
      refuseNewWork(this.#parts.dependencies);
      const { when, ...prompt } = request;
      const expanded = await this.#parts.instructions.expanded(caller, session, prompt);
      if (when === "now") refuseUnsteerable(session);
      const beside = (accepted: PromptAccepted): Beside => ({
        receipts: receipts(accepted),
        ...this.#audit(caller, "session.prompt", id, defined({ turn_id: accepted.turn_id, when })),
      });
      return session.prompt(wellFormedPrompt(expanded), ref(caller), { now: when === "now", beside });
    });
  }

  /** The tools that the session's model is told about. */
  async tools(caller: Caller, id: string): Promise<readonly string[]> {
    const session = await this.#session(caller, "session.read", id);
    const { toolbox } = await session.environment();
    const { dependencies, state } = session;
    const instructions = { current: await session.instructions.load() };
    return offeredTools({ dependencies, state, instructions }, toolbox).map(({ name }) => name);
  }

  /** The MCP servers of a session, and how they are. */
  async mcpServers(caller: Caller, id: string): Promise<SessionMcpServers> {
    return { servers: [...(await this.#session(caller, "session.read", id)).servers.view()] };
  }

  /**
   * Adds tools of a page to a session, `instead` of earlier ones; the answer unregisters them. Turns that begin meanwhile have them, and the
   * session stays in memory. Nothing of it is stored: after a restart the owner registers again.
   */
  async registerTools(
    caller: Caller,
    id: string,
    tools: readonly ClientTool[],
    instead?: Unregister,
  ): Promise<Unregister> {
    const session = await this.#session(caller, "session.control", id);
    const { status } = session.state;
    if (isFinal(status)) throw new Failure("session_closed", `session ${id} is ${status}; start or fork another one`);
    return (await session.environment()).toolbox.register(tools, instead);
  }

  async interrupt(caller: Caller, id: string, { hold_queue }: Interrupt = {}): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    const audit = this.#audit(caller, "session.interrupt", id, hold_queue === true ? { hold_queue } : undefined);
    // It stops at once, even while nothing can be written.
    const noted = this.#parts.dependencies.store.commit(audit, { untilStored: true });
    const work = Promise.all([noted, session.interrupt({ by: ref(caller), hold_queue })]);
    await whileStoring(this.#parts.dependencies, work, LIMITS.storeAnswerMs);
    return view(session.state);
  }

  /** Removes a prompt from the queue. One that has begun is not touched. */
  async removePrompt(caller: Caller, id: string, turn_id: string): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    const beside = this.#audit(caller, "session.unqueue", id, { turn_id });
    await session.execute({ type: "unqueue", turn_id, by: ref(caller) }, beside);
    return view(session.state);
  }

  /** Names a session, tags it, or puts it into the archive; also one that has ended. */
  async label(caller: Caller, id: string, label: LabelSession): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    await session.execute({ type: "label", label }, this.#audit(caller, "session.label", id, label));
    return view(session.state);
  }

  async pause(caller: Caller, id: string): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    await session.pause(this.#audit(caller, "session.pause", id));
    return view(session.state);
  }

  async resume(caller: Caller, id: string): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    await session.unpause(this.#audit(caller, "session.resume", id));
    return view(session.state);
  }

  async close(caller: Caller, id: string): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    await session.close(this.#audit(caller, "session.close", id));
    this.#parts.registry.forget(session);
    return view(session.state);
  }

  /** A new session that begins with the parent's journal up to the end of a turn. Copies nothing. */
  async fork(caller: Caller, id: string, request: ForkSession, key: IdempotencyKey): Promise<SessionView> {
    authorize(caller, "session.create");
    const parent = await this.#session(caller, "session.control", id);
    return this.#parts.receipts.once({ caller, key, question: ["fork", id, request] }, async (receipts) => {
      const seq =
        request.after_turn === undefined ? parent.state.settled_seq : await this.#turnEnd(parent, request.after_turn);
      const settings = await this.#settings(caller, {}, { parent });
      return this.#concurrency.make(caller, this.#profile(caller, settings), async () => {
        const [lineage, ancestors] = [inherited(parent, seq), heirOf(parent)];
        const place = await this.#places.place({ caller, settings, parent, isNew: false });
        const at = new Date(this.#parts.dependencies.clock.now()).toISOString();
        const { title } = parent.state;
        const id = place.id ?? this.#parts.dependencies.newId("ses");
        const own = { by: ref(caller), token: scopeOf(caller), settings: place.settings };
        await this.#keepValues(id, { servers: undefined, settings, parent });
        const birth = { id, at, lineage, ancestors, title, ...own };
        const child = this.#parts.registry.add(newState(birth));
        const opened = child.execute({ type: "fork", from: { session_id: parent.state.id, seq } });
        const answer = view(child.state);
        const details = { child: child.state.id, seq };
        this.#parts.dependencies.reach("fork.decided");
        await Promise.all([
          opened,
          this.#parts.dependencies.store.commit(
            { receipts: receipts(answer), ...this.#audit(caller, "session.fork", parent.state.id, details) },
            { untilStored: true },
          ),
        ]);
        this.#parts.dependencies.reach("fork.durable");
        return answer;
      });
    });
  }

  /** Sets the most that a session may spend. An operator may set what the policy allows; only those who write the policy may set more. */
  async setBudget(caller: Caller, id: string, { max_cost_microusd }: SetBudget): Promise<SessionView> {
    authorize(caller, "budget.raise");
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, "budget.raise", { state: session.state, what: `session ${id}` });
    await setLimit(
      session,
      caller,
      { kind: "session", account: ACCOUNTS.session(id), limit: max_cost_microusd },
      (documents) =>
        this.#parts.dependencies.store.commit({
          documents,
          ...this.#audit(caller, "budget.set", id, { max_cost_microusd }),
        }),
    );
    const { spent, reserved } = await this.#parts.dependencies.models.ledger.balance(ACCOUNTS.session(id));
    await session.execute({ type: "limit", spent, reserved, limit: max_cost_microusd });
    return view(session.state);
  }

  /** Changes how the session runs from now on, as far as the policy allows the caller. */
  async configure(caller: Caller, id: string, request: ConfigureSession, key: IdempotencyKey): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    return this.#parts.receipts.once({ caller, key, question: ["configure", id, request] }, async (receipts) => {
      const change = await settingsChange(this.#parts.dependencies, caller, session.state.settings, request);
      const durable = session.execute(
        { type: "configure", change },
        this.#audit(caller, "session.configure", id, change),
      );
      const answer = view(session.state);
      // Same turn of the event loop, so same commit.
      const kept = this.#parts.dependencies.store.commit({ receipts: receipts(answer) }, { untilStored: true });
      await Promise.all([durable, kept]);
      return answer;
    });
  }

  /** A page of the journal. */
  async events(
    caller: Caller,
    id: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Frame[]> {
    const session = await this.#session(caller, "session.read", id);
    checkCursor(session, page.after);
    return publishedPage(session, page.after, { limit: page.limit });
  }

  /** The journal after a seq, then live; see watch.ts. Rights are checked before anything is sent. */
  async watch(caller: Caller, id: string, after: number, signal: AbortSignal): Promise<AsyncGenerator<Frame[]>> {
    const session = await this.#session(caller, "session.read", id);
    checkCursor(session, after);
    return watch(session, after, signal);
  }

  #settings(
    caller: Caller,
    request: CreateSession,
    { parent, given }: Pick<CreateOptions, "given"> & { readonly parent: Session | undefined },
  ): Promise<SessionSettings> {
    const parts = { dependencies: this.#parts.dependencies, places: this.#parts.places, given };
    if (parent === undefined) return settingsFor(parts, caller, request);
    const { settings, created_by } = parent.state;
    return settingsFor(parts, caller, request, { settings, owner: created_by.id });
  }

  #profile(caller: Caller, settings: SessionSettings): Profile {
    return effectiveProfile(this.#parts.dependencies.policy(), { settings, created_by: caller, token: caller.token });
  }

  async #session(caller: Caller, capability: "session.read" | "session.control", id: string): Promise<Session> {
    authorize(caller, capability);
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, capability, { state: session.state, what: `session ${id}` });
    return session;
  }

  async #turnEnd(parent: Session, turn_id: string): Promise<number> {
    const ownStart = parent.state.lineage.at(-1)?.upto ?? 0;
    const own = { session_id: parent.state.id, after: ownStart, upto: parent.stream.publishedSeq };
    for (const segment of [...parent.state.lineage, own]) {
      const seq = await this.#parts.dependencies.store.read.turnEnd({ session_id: segment.session_id, turn_id });
      if (seq !== undefined && seq > segment.after && seq <= segment.upto) return seq;
    }
    throw new Failure("not_found", `session ${parent.state.id} has no ended turn ${turn_id}`);
  }

  #audit(caller: Caller, action: string, target: string, details?: unknown): Beside {
    return { audit: [auditRow(this.#parts.dependencies, caller, { action, target, details })] };
  }
}

function ref(caller: Caller): { id: string; name: string; role: Caller["role"] } {
  return { id: caller.id, name: caller.name, role: caller.role };
}
