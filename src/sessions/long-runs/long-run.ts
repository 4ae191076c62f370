import { ACCOUNTS } from "../../ledger/index.ts";
import {
  Failure,
  LIMITS,
  type CreateSession,
  type ErrorDetail,
  type SessionView,
  type Template,
} from "../../protocol/index.ts";
import type { NewDocument } from "../../store/index.ts";
import { auditRow, type Caller } from "../access/access.ts";
import { storedCaller } from "../access/stored-caller.ts";
import type { Dependencies } from "../dependencies.ts";
import { atWallTime } from "../lifecycle/wall-time.ts";
import type { SessionService } from "../services/session-service.ts";
import { checkAccepted } from "../triggers/accepted-template.ts";
import type { LongRunBook } from "./book.ts";
import { begun, ended, limitsOf, type LongRunPlan, type LongRunState } from "./decide.ts";
import { countOf, readFeatures } from "./features.ts";
import { filledIn, SHIPPED_TEMPLATES } from "./templates.ts";

export interface LongRunParts {
  readonly dependencies: Dependencies;
  readonly sessions: SessionService;
  readonly book: LongRunBook;
  /** Templates of this server by id. */
  readonly template: (id: string) => Promise<Template | undefined>;
}

/** Refusals that pass by themselves: the same session is tried again later. */
const PASSING: ReadonlySet<string> = new Set([
  "shutting_down",
  "store_unavailable",
  "store_failed",
  "limit_reached",
  "rate_limited",
  "overloaded",
]);

/** One long run: starts its sessions one after the other, and remembers each step before the next one. */
export class LongRun {
  readonly plan: LongRunPlan;
  readonly #parts: LongRunParts;
  /** The pause is over, whatever the clock on the wall says. */
  #isRested = false;
  #state: LongRunState;
  /** Each step begins when the one before has ended. */
  #work: Promise<unknown> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(parts: LongRunParts, plan: LongRunPlan, state: LongRunState) {
    this.#parts = parts;
    this.plan = plan;
    this.#state = state;
  }

  get state(): LongRunState {
    return this.#state;
  }

  /** Does what is due. Called at the start, when its session's turn has ended, and when a pause is over. */
  advance(): void {
    void this.#queue(() => this.#step()).catch((error: unknown) => {
      this.#parts.dependencies.log.warn(
        { err: error, long_run: this.plan.id },
        "a long run could not go on; it tries again",
      );
      this.#again();
    });
  }

  /** No further session begins, and the one that works stands still. */
  async pause(caller: Caller): Promise<void> {
    await this.#queue(async () => {
      if (this.#state.end !== undefined) throw over(this.plan.id);
      if (this.#state.paused) return;
      await this.#store(caller, "long_run.pause", { ...this.#without(), paused: true });
      await this.#withSession((id) => this.#parts.sessions.pause(caller, id));
    });
  }

  async continue(caller: Caller): Promise<void> {
    await this.#queue(async () => {
      if (this.#state.end !== undefined) throw over(this.plan.id);
      if (!this.#state.paused) return;
      await this.#store(caller, "long_run.continue", { ...this.#without(), paused: false });
      await this.#withSession((id) => this.#parts.sessions.resume(caller, id));
    });
    this.advance();
  }

  /** It ends, and so does the session that works. */
  async stop(caller: Caller): Promise<void> {
    await this.#queue(async () => {
      if (this.#state.end !== undefined) return;
      const message = `${caller.name} stopped it.`;
      await this.#store(caller, "long_run.stop", { ...this.#without(), end: "stopped", message });
      await this.#withSession((id) => this.#parts.sessions.close(caller, id));
    });
  }

  /** Nothing more is started; what is stored goes on at the next start. */
  close(): Promise<unknown> {
    this.#closed = true;
    this.#cancel();
    return this.#work;
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  #rested(): void {
    this.#isRested = true;
    this.advance();
  }

  async #step(): Promise<void> {
    this.#cancel();
    if (this.#closed || this.#state.end !== undefined) return;
    if (this.#state.session_id !== undefined) await this.#finish(this.#state.session_id);
    const { session_id, end, paused, next_at } = this.#state;
    if (session_id !== undefined || end !== undefined || paused || this.#closed) return;
    const { clock } = this.#parts.dependencies;
    if (clock.now() < next_at && !this.#isRested) {
      // A clock that was set back does not prolong the pause, also when that was before a restart.
      const atMostMs = limitsOf(this.plan.request).pause_s * 1_000;
      this.#cancel = atWallTime(clock, { at: next_at, atMostMs, callback: () => this.#rested() });
      return;
    }
    this.#isRested = false;
    await this.#begin();
  }

  /** Writes down how a session ended, once it has. */
  async #finish(id: string): Promise<void> {
    const { dependencies, sessions } = this.#parts;
    const caller = await this.#caller();
    if (caller === undefined) return this.#halt("The token that it acts with is no longer valid.");
    const view = await sessions.get(caller, id).catch((error: unknown) => {
      if (error instanceof Failure && error.code === "not_found") return undefined;
      throw error;
    });
    if (view !== undefined && !isOver(view)) return;
    if (view !== undefined && view.status !== "complete" && view.status !== "failed") await sessions.close(caller, id);
    const features = countOf(await this.features());
    const error = view === undefined ? undefined : (view.error ?? (await this.#failureOf(id, view.seq)));
    const state = ended(this.plan, this.#state, {
      outcome: view === undefined ? "deleted" : error === undefined ? "completed" : "failed",
      message: error?.message,
      features,
      spent: await this.spent(),
      now: dependencies.clock.now(),
      isOutOfMoney: error?.code === "budget_exceeded",
      isInterrupted: error?.code === "aborted" || error?.code === "rejected_and_stopped",
    });
    await this.#store(caller, state.end === undefined ? "long_run.step" : "long_run.end", state);
  }

  /** Why the turn of a session failed. Undefined: it did not. */
  async #failureOf(session_id: string, upto: number): Promise<ErrorDetail | undefined> {
    const after = Math.max(0, upto - LIMITS.longRunEndEvents);
    const rows = await this.#parts.dependencies.store.read.events({
      session_id,
      after,
      limit: LIMITS.longRunEndEvents,
    });
    const end = rows.findLast(({ type }) => type === "turn.completed" || type === "turn.failed");
    if (end?.type !== "turn.failed") return undefined;
    return (JSON.parse(end.body) as { readonly error: ErrorDetail }).error;
  }

  async #begin(): Promise<void> {
    const caller = await this.#caller();
    if (caller === undefined) return this.#halt("The token that it acts with is no longer valid.");
    try {
      const request = await this.#request();
      const key = `${this.plan.id}/${this.#state.sessions + 1}`;
      let next: LongRunState | undefined;
      const documents = ({ id, created_at: at, settings: { workspace } }: SessionView): readonly NewDocument[] => {
        next = begun(this.#state, { id, at, workspace });
        return [this.#parts.book.rowOf(this.plan.id, next)];
      };
      // Session and state become durable together: after a crash there are both or neither.
      await this.#parts.sessions.create(caller, request, key, { documents });
      if (next === undefined) return;
      this.#state = next;
      // A short turn may have ended before this run knew that the session is its own: nobody would tell it again.
      this.advance();
    } catch (error) {
      if (!(error instanceof Failure) || PASSING.has(error.code)) throw error;
      await this.#halt(`A session could not be started: ${error.message}`);
    }
  }

  /** What the next session is started with. All but the first draw on the first one's budget, and ask for no more than is left. */
  async #request(): Promise<CreateSession> {
    const { request } = this.plan;
    const { first_id, sessions } = this.#state;
    const isFirst = sessions === 0;
    const named = isFirst ? request.initializer : request.coder;
    const base =
      (named === undefined ? undefined : await this.#chosen(named)) ??
      (isFirst ? SHIPPED_TEMPLATES.initializer : SHIPPED_TEMPLATES.coder);
    const { prompt: _prompt, ...fixed } = request.session ?? {};
    const features = (await this.features()) ?? [];
    const next = features.findIndex(({ passes }) => !passes);
    const text = filledIn(base.prompt?.text ?? "{{task}}", {
      task: request.task,
      session: sessions + 1,
      passing: features.length - features.filter(({ passes }) => !passes).length,
      total: features.length,
      next: next + 1,
      next_feature: features[next]?.description ?? "",
    });
    const left = request.max_cost_microusd - (await this.spent());
    return {
      at_budget_end: "fail",
      ...base,
      ...fixed,
      prompt: { ...base.prompt, text },
      max_cost_microusd: Math.max(0, left),
      ...(first_id === undefined ? {} : { parent_session_id: first_id }),
      metadata: { ...fixed.metadata, long_run: this.plan.id, index: sessions + 1 },
    };
  }

  /** A template that it names, as long as nobody with fewer rights wrote another one in its place. */
  async #chosen(id: string): Promise<CreateSession> {
    const template = await this.#parts.template(id);
    if (template === undefined) throw new Failure("not_found", `there is no template ${id}`);
    const { created_by, template_hashes = {} } = this.plan;
    checkAccepted(template, { created_by, template_hash: template_hashes[id] });
    return template.session;
  }

  /** The features in its workspace as they are now. */
  async features(): ReturnType<typeof readFeatures> {
    const { workspace } = this.#state;
    return workspace === undefined ? undefined : readFeatures(workspace);
  }

  /** Of all its sessions, micro-USD. */
  async spent(): Promise<number> {
    const { first_id } = this.#state;
    if (first_id === undefined) return 0;
    const { spent } = await this.#parts.dependencies.models.ledger.balance(ACCOUNTS.session(first_id));
    return spent;
  }

  async #caller(): Promise<Caller | undefined> {
    const { store, expiryClock } = this.#parts.dependencies;
    return storedCaller(store.read, this.plan.token_id, expiryClock.now());
  }

  /** Paused until a person looks at it. */
  async #halt(message: string): Promise<void> {
    await this.#store({ ...this.plan.created_by }, "long_run.halt", { ...this.#without(), paused: true, message });
  }

  #without(): LongRunState {
    const { step: _step, message: _message, ...rest } = this.#state;
    return { ...rest, at: new Date(this.#parts.dependencies.clock.now()).toISOString() };
  }

  async #withSession(act: (id: string) => Promise<unknown>): Promise<void> {
    const { session_id } = this.#state;
    if (session_id === undefined) return;
    await act(session_id).catch((error: unknown) => {
      // It may have ended or been deleted meanwhile.
      if (!(error instanceof Failure)) throw error;
    });
  }

  async #store(by: LongRunPlan["created_by"], action: string, state: LongRunState): Promise<void> {
    const { dependencies, book } = this.#parts;
    const details = { sessions: state.sessions, features: state.features, end: state.end, message: state.message };
    await dependencies.store.commit({
      documents: [book.rowOf(this.plan.id, state)],
      audit: [auditRow(dependencies, by, { action, target: this.plan.id, details })],
    });
    this.#state = state;
  }

  #again(): void {
    if (this.#closed) return;
    this.#cancel();
    this.#cancel = this.#parts.dependencies.clock.after(LIMITS.longRunRetryMs, () => this.advance());
  }
}

/** Whether its one turn has ended. */
function isOver({ status, turn_id, queue, turns }: SessionView): boolean {
  if (status === "complete" || status === "failed") return true;
  return turns > 0 && turn_id === undefined && queue.length === 0 && status === "idle";
}

function over(id: string): Failure {
  return new Failure("conflict", `the long run ${id} has ended; start another one`);
}
