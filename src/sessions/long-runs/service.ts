import {
  defined,
  Failure,
  LIMITS,
  type CreateLongRun,
  type JournalEvent,
  type LongRunDetail,
  type LongRunList,
  type LongRunStatus,
  type LongRunTemplates,
  type LongRunView,
} from "../../protocol/index.ts";
import { auditRow, authorize, authorizeStarting, type Caller } from "../access/access.ts";
import { templateHash } from "../triggers/accepted-template.ts";
import { LongRunBook } from "./book.ts";
import { limitsOf, newRun, type LongRunPlan, type LongRunState } from "./decide.ts";
import { countOf } from "./features.ts";
import { LongRun, type LongRunParts } from "./long-run.ts";
import { SHIPPED_TEMPLATES } from "./templates.ts";

/** Workspace modes in which each session would have files of its own. */
const APART: ReadonlySet<string> = new Set(["worktree", "snapshot", "empty"]);

/** Long runs: sessions one after the other on one task. All of them are in memory. */
export class LongRunService {
  readonly #parts: LongRunParts;
  /** By id, the newest last. */
  readonly #runs = new Map<string, LongRun>();
  /** Makes and removals, one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: Omit<LongRunParts, "book">) {
    this.#parts = { ...parts, book: new LongRunBook(parts.dependencies.store) };
  }

  /** Reads what is stored and goes on with it, after sessions of the last run were taken up. */
  async open(): Promise<void> {
    for (const { plan, state } of await this.#parts.book.all()) {
      const run = new LongRun(this.#parts, plan, state);
      this.#runs.set(plan.id, run);
      run.advance();
    }
  }

  /** Called for every event once it is on the disk. */
  observe(event: JournalEvent): void {
    if (event.type !== "turn.completed" && event.type !== "turn.failed" && event.type !== "session.updated") return;
    for (const run of this.#runs.values()) if (run.state.session_id === event.session_id) run.advance();
  }

  async create(caller: Caller, request: CreateLongRun): Promise<LongRunView> {
    authorize(caller, "session.create");
    const template_hashes = await this.#check(request);
    return this.#change(async () => {
      const running = [...this.#runs.values()].filter(({ state }) => state.end === undefined).length;
      if (running >= LIMITS.longRunsRunning || this.#runs.size >= LIMITS.longRuns)
        throw new Failure(
          "limit_reached",
          `there may be ${LIMITS.longRunsRunning} running long runs, and ${LIMITS.longRuns} in all: stop or delete some`,
        );
      const { dependencies, book } = this.#parts;
      const state = newRun(dependencies.clock.now());
      const plan: LongRunPlan = {
        id: dependencies.newId("run"),
        request: JSON.parse(dependencies.redact(JSON.stringify(request))) as CreateLongRun,
        created_at: state.at,
        created_by: { id: caller.id, name: caller.name, role: caller.role },
        token_id: caller.token.id,
        template_hashes,
      };
      const details = { name: request.name, max_cost_microusd: request.max_cost_microusd };
      const audit = [auditRow(dependencies, caller, { action: "long_run.create", target: plan.id, details })];
      await book.add(plan, state, { ids: [...this.#runs.keys(), plan.id], audit });
      const run = new LongRun(this.#parts, plan, state);
      this.#runs.set(plan.id, run);
      run.advance();
      return this.#view(run);
    });
  }

  async list(caller: Caller): Promise<LongRunList> {
    const scope = authorize(caller, "session.read");
    const runs = [...this.#runs.values()].filter(({ plan }) => scope === "all" || plan.created_by.id === caller.id);
    return { long_runs: await Promise.all(runs.toReversed().map((run) => this.#view(run))) };
  }

  async get(caller: Caller, id: string): Promise<LongRunDetail> {
    const run = this.#find(caller, "session.read", id);
    const features = (await run.features()) ?? [];
    const current = countOf(features.length === 0 ? undefined : features);
    return {
      ...(await this.#view(run)),
      ...defined({ features: current ?? run.state.features }),
      steps: [...(await this.#parts.book.steps(id))],
      feature_list: [...features],
    };
  }

  async pause(caller: Caller, id: string): Promise<LongRunView> {
    const run = this.#find(caller, "session.control", id);
    await run.pause(caller);
    return this.#view(run);
  }

  async continue(caller: Caller, id: string): Promise<LongRunView> {
    const run = this.#find(caller, "session.control", id);
    await run.continue(caller);
    return this.#view(run);
  }

  async stop(caller: Caller, id: string): Promise<LongRunView> {
    const run = this.#find(caller, "session.control", id);
    await run.stop(caller);
    return this.#view(run);
  }

  /** Its sessions stay. One that has not ended is stopped first. */
  async remove(caller: Caller, id: string): Promise<void> {
    const run = this.#find(caller, "session.control", id);
    await run.stop(caller);
    await this.#change(async () => {
      const { dependencies, book } = this.#parts;
      const at = new Date(dependencies.clock.now()).toISOString();
      const audit = [auditRow(dependencies, caller, { action: "long_run.delete", target: id })];
      const ids = [...this.#runs.keys()].filter((known) => known !== id);
      await book.remove(id, { ids, at, by: caller, audit });
      this.#runs.delete(id);
    });
  }

  templates(caller: Caller): LongRunTemplates {
    authorize(caller, "session.create");
    return { ...SHIPPED_TEMPLATES };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.close()));
  }

  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  /** What can be known before the first session is tried. The hashes of the templates as they are now, by id. */
  async #check({ session = {}, initializer, coder }: CreateLongRun): Promise<Readonly<Record<string, string>>> {
    const given = [];
    const hashes: Record<string, string> = {};
    for (const id of [initializer, coder]) {
      if (id === undefined) continue;
      const template = await this.#parts.template(id);
      if (template === undefined) throw new Failure("not_found", `there is no template ${id}`);
      given.push(template.session);
      hashes[id] = templateHash(template);
    }
    for (const request of [session, ...given]) {
      if (APART.has(request.workspace_mode ?? "direct"))
        throw new Failure(
          "invalid_request",
          "the sessions of a long run work in one folder: workspace_mode must be direct",
        );
      for (const field of ["job", "parent_session_id", "resume_session_id", "max_cost_microusd"] as const)
        if (request[field] !== undefined)
          throw new Failure(
            "invalid_request",
            `the sessions of a long run have no ${field} of their own; leave it out`,
          );
    }
    return hashes;
  }

  #find(caller: Caller, capability: "session.read" | "session.control", id: string): LongRun {
    const scope = authorize(caller, capability);
    const run = this.#runs.get(id);
    if (run === undefined || (scope === "own" && run.plan.created_by.id !== caller.id))
      throw new Failure("not_found", `there is no long run ${id}`);
    if (capability === "session.control")
      authorizeStarting(caller, capability, { created_by: run.plan.created_by, what: `long run ${id}` });
    return run;
  }

  async #view(run: LongRun): Promise<LongRunView> {
    const { plan, state } = run;
    const { request } = plan;
    const status = statusOf(state);
    return {
      id: plan.id,
      name: request.name,
      task: request.task,
      status,
      created_at: plan.created_at,
      updated_at: state.at,
      created_by: plan.created_by,
      sessions: state.sessions,
      max_sessions: limitsOf(request).max_sessions,
      spent_microusd: await run.spent(),
      max_cost_microusd: request.max_cost_microusd,
      ...defined({
        end: state.end,
        message: state.message,
        session_id: state.end === undefined ? state.session_id : undefined,
        next_at: status === "waiting" ? new Date(state.next_at).toISOString() : undefined,
        features: state.features,
        workspace: state.workspace,
      }),
    };
  }
}

function statusOf({ end, paused, session_id }: LongRunState): LongRunStatus {
  if (end !== undefined) return "ended";
  if (paused) return "paused";
  return session_id === undefined ? "waiting" : "working";
}
