import { z } from "zod";
import {
  CreateSchedule,
  defined,
  Failure,
  LIMITS,
  PrincipalRef,
  SYSTEM,
  type ScheduleList,
  type ScheduleView,
  type SessionView,
  type TriggerHistory,
} from "../../protocol/index.ts";
import type { NewDocument } from "../../store/index.ts";
import { authorize, type Caller } from "../access/access.ts";
import { isTemplateChange, templateHash } from "./accepted-template.ts";
import { TriggerBook } from "./book.ts";
import { parseCron, zoneClock } from "./cron.ts";
import { dueAt, timeAfter, timesAfter, type Due, type Timetable } from "./due.ts";
import { passesByItself, startTriggered, type TriggerParts } from "./start.ts";

const StoredResult = z.object({
  at: z.string(),
  due_at: z.string().optional(),
  session_id: z.string().optional(),
  message: z.string().optional(),
});

const StoredSchedule = z.object({
  id: z.string(),
  request: CreateSchedule,
  created_at: z.string(),
  created_by: PrincipalRef,
  token_id: z.string(),
  template_hash: z.string().optional(),
  paused: z.boolean(),
  /** Every time up to this one is done with; milliseconds since the epoch. Never goes back, whatever the clock does. */
  done_until: z.number(),
  started: z.number().int(),
  last: StoredResult.optional(),
});
type StoredSchedule = z.infer<typeof StoredSchedule>;

/** Sessions that begin at set times. Each due time is done with once, and that is on the disk together with its session. */
export class ScheduleService {
  readonly #parts: TriggerParts;
  readonly #book: TriggerBook<StoredSchedule>;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(parts: TriggerParts) {
    this.#parts = parts;
    const kind = { kind: "schedule", schema: StoredSchedule, most: LIMITS.schedules } as const;
    this.#book = new TriggerBook(parts.dependencies, kind);
  }

  async open(): Promise<void> {
    await this.#book.open();
    this.#wait(0);
  }

  async create(caller: Caller, request: CreateSchedule): Promise<ScheduleView> {
    authorize(caller, "trigger.manage");
    const now = this.#parts.dependencies.clock.now();
    if (request.cron !== undefined) parseCron(request.cron);
    zoneClock(request.time_zone ?? "UTC");
    const template = await this.#parts.template(request.template);
    if (template === undefined) throw new Failure("not_found", `there is no template ${request.template}`);
    const id = this.#parts.dependencies.newId("sch");
    const entry: StoredSchedule = {
      id,
      request,
      created_at: new Date(now).toISOString(),
      created_by: { id: caller.id, name: caller.name, role: caller.role },
      token_id: caller.token.id,
      template_hash: templateHash(template),
      paused: false,
      done_until: now,
      started: 0,
    };
    if (timeAfter(timetableOf(entry), now) === undefined)
      throw new Failure("invalid_request", "this time never comes: it is past, or there is no such day");
    await this.#book.add(caller, entry, request);
    this.#wait(0);
    return this.#view(entry);
  }

  list(caller: Caller): ScheduleList {
    authorize(caller, "trigger.manage");
    return { schedules: this.#book.all.map((entry) => this.#view(entry)) };
  }

  async pause(caller: Caller, id: string): Promise<ScheduleView> {
    return this.#view(await this.#book.pause(caller, id));
  }

  /** What was due while it was paused does not count as missed. */
  async continue(caller: Caller, id: string): Promise<ScheduleView> {
    const now = this.#parts.dependencies.clock.now();
    const entry = await this.#book.set(caller, { id, verb: "continue" }, (before) => ({
      ...before,
      paused: false,
      done_until: Math.max(before.done_until, now),
    }));
    this.#wait(0);
    return this.#view(entry);
  }

  /** Starts a session now, also while it is paused. Its own times stay as they are. */
  async run(caller: Caller, id: string): Promise<ScheduleView> {
    authorize(caller, "trigger.manage");
    return this.#book.change(async () => {
      const entry = this.#book.changeable(caller, id);
      const key = `${id}/${this.#parts.dependencies.newId("sch")}`;
      return this.#view(await this.#start(entry, { key, by: caller, details: {} }));
    });
  }

  history(caller: Caller, id: string): Promise<TriggerHistory> {
    return this.#book.history(caller, id);
  }

  remove(caller: Caller, id: string): Promise<void> {
    return this.#book.remove(caller, id);
  }

  close(): Promise<unknown> {
    this.#closed = true;
    this.#cancel();
    return this.#book.settled;
  }

  /** The clock on the wall is asked often: it may be set, and the machine may sleep. */
  #wait(ms: number): void {
    this.#cancel();
    if (this.#closed) return;
    this.#cancel = this.#parts.dependencies.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    let ms: number = LIMITS.scheduleCheckMs;
    try {
      await this.#book.change(() => this.#runDue());
      const { clock } = this.#parts.dependencies;
      const now = clock.now();
      const next = this.#book.all
        .filter(({ paused }) => !paused)
        .flatMap((entry) => timeAfter(timetableOf(entry), Math.max(entry.done_until, now)) ?? []);
      ms = Math.max(1, Math.min(ms, ...next.map((at) => at - now)));
    } catch (error) {
      this.#parts.dependencies.log.warn({ err: error }, "schedules could not be looked at; they are tried again");
      ms = LIMITS.scheduleRetryMs;
    }
    this.#wait(ms);
  }

  async #runDue(): Promise<void> {
    for (const known of this.#book.all) {
      if (this.#closed || known.paused) continue;
      const entry = await this.#withoutFuture(known);
      const due = dueAt(timetableOf(entry), entry.done_until, this.#parts.dependencies.clock.now());
      if (due !== undefined) await this.#run(entry, due);
    }
  }

  /**
   * A clock that was far ahead did times with it that have yet to come. Once it is right again they count, or the schedule would stand
   * still until then. What is to run once has run.
   */
  async #withoutFuture(entry: StoredSchedule): Promise<StoredSchedule> {
    const { dependencies } = this.#parts;
    const now = dependencies.clock.now();
    const { id, request, done_until } = entry;
    if (request.cron === undefined || done_until - now <= LIMITS.scheduleAheadMs) return entry;
    const mended = { ...entry, done_until: now };
    const details = { done_until: new Date(done_until).toISOString() };
    dependencies.log.warn(
      { schedule: id, ...details },
      "the clock was far ahead: a schedule begins at the time of now",
    );
    await this.#book.save(mended, this.#book.now, [this.#book.audit(SYSTEM, "schedule.clock", id, details)]);
    return mended;
  }

  async #run(entry: StoredSchedule, due: Due): Promise<void> {
    const { id, request } = entry;
    const at = this.#book.now;
    const due_at = new Date(due.at).toISOString();
    const isSkipped = due.isLate && request.missed === "skip";
    const missed = due.missed + (isSkipped ? 1 : 0);
    const done = { ...entry, done_until: Math.max(entry.done_until, due.at) };
    if (isSkipped) {
      const message = `${missed === 1 ? "This time was" : `${missed} times were`} missed, and skipped.`;
      await this.#book.save({ ...done, last: { at, due_at, message } }, at, [
        this.#book.audit(SYSTEM, "schedule.skip", id, { due_at, missed }),
      ]);
      return;
    }
    try {
      await this.#start(done, { key: `${id}/${due_at}`, due_at, by: SYSTEM, details: { due_at, missed } });
    } catch (error) {
      if (passesByItself(error)) throw error;
      const { code, message } = error as Failure;
      const isHalted = code === "unauthenticated" || isTemplateChange(error);
      const failed = { ...done, paused: entry.paused || isHalted, last: { at, due_at, message } };
      await this.#book.save(failed, at, [this.#book.audit(SYSTEM, "schedule.fail", id, { due_at, code, message })]);
    }
  }

  /** Starts a session of it; what it then is becomes durable together with the session. */
  async #start(entry: StoredSchedule, { key, due_at, by, details }: ScheduledStart): Promise<StoredSchedule> {
    const { id, request } = entry;
    const at = this.#book.now;
    let started = entry;
    const documents = (view: SessionView): readonly NewDocument[] => {
      started = {
        ...entry,
        started: entry.started + 1,
        last: { at, ...defined({ due_at }), session_id: view.id },
      };
      return [this.#book.rowOf(started, at)];
    };
    const view = await startTriggered(this.#parts, {
      token_id: entry.token_id,
      created_by: entry.created_by,
      template: request.template,
      template_hash: entry.template_hash,
      max_cost_microusd: request.max_cost_microusd,
      key,
      prompt: (text) => text,
      metadata: { schedule: id, ...defined({ due_at }) },
      documents,
    });
    this.#book.put(started);
    await this.#parts.dependencies.store.commit({
      audit: [this.#book.audit(by, "schedule.start", id, { ...details, session_id: view.id })],
    });
    return started;
  }

  #view(entry: StoredSchedule): ScheduleView {
    const { id, request, created_at, created_by, paused, started, last, done_until } = entry;
    const { name, template, cron, at, missed = "run_once", max_cost_microusd } = request;
    const { time_zone } = timetableOf(entry);
    const after = Math.max(done_until, this.#parts.dependencies.clock.now());
    const next = paused ? [] : timesAfter(timetableOf(entry), after).map((ms) => new Date(ms).toISOString());
    return {
      id,
      name,
      template,
      paused,
      created_at,
      created_by,
      started,
      time_zone,
      missed,
      next,
      ...defined({ cron, at, max_cost_microusd, last }),
    };
  }
}

interface ScheduledStart {
  /** A retry with the same key answers with the first session. */
  readonly key: string;
  /** Absent: somebody started it by hand. */
  readonly due_at?: string | undefined;
  readonly by: PrincipalRef;
  readonly details: Readonly<Record<string, unknown>>;
}

function timetableOf({ request: { cron, at, time_zone = "UTC" } }: StoredSchedule): Timetable {
  return { cron, at, time_zone };
}
