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
} from "../../protocol/index.ts";
import type { AuditRow, NewDocument } from "../../store/index.ts";
import { auditRow, authorize, authorizeStarting, type Caller } from "../access/access.ts";
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
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: TriggerParts) {
    this.#parts = parts;
    this.#book = new TriggerBook(parts.dependencies.store, "schedule", StoredSchedule);
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
    await this.#change(async () => {
      if (this.#book.all.length >= LIMITS.schedules)
        throw new Failure("limit_reached", `there can be ${LIMITS.schedules} schedules; delete one first`);
      await this.#book.save(entry, entry.created_at, [this.#audit(caller, "schedule.create", id, request)]);
    });
    this.#wait(0);
    return this.#view(entry);
  }

  list(caller: Caller): ScheduleList {
    authorize(caller, "trigger.manage");
    return { schedules: this.#book.all.map((entry) => this.#view(entry)) };
  }

  async pause(caller: Caller, id: string): Promise<ScheduleView> {
    return this.#set(caller, { id, action: "schedule.pause" }, (entry) => ({ ...entry, paused: true }));
  }

  /** What was due while it was paused does not count as missed. */
  async continue(caller: Caller, id: string): Promise<ScheduleView> {
    const now = this.#parts.dependencies.clock.now();
    const view = await this.#set(caller, { id, action: "schedule.continue" }, (entry) => ({
      ...entry,
      paused: false,
      done_until: Math.max(entry.done_until, now),
    }));
    this.#wait(0);
    return view;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "trigger.manage");
    await this.#change(async () => {
      this.#check(caller, this.#find(id));
      await this.#book.remove(id, this.#now(), [this.#audit(caller, "schedule.delete", id)]);
    });
  }

  close(): Promise<unknown> {
    this.#closed = true;
    this.#cancel();
    return this.#work;
  }

  async #set(
    caller: Caller,
    { id, action }: { readonly id: string; readonly action: string },
    change: (entry: StoredSchedule) => StoredSchedule,
  ): Promise<ScheduleView> {
    authorize(caller, "trigger.manage");
    return this.#change(async () => {
      const entry = change(this.#check(caller, this.#find(id)));
      await this.#book.save(entry, this.#now(), [this.#audit(caller, action, id)]);
      return this.#view(entry);
    });
  }

  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
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
      await this.#change(() => this.#runDue());
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
    for (const entry of this.#book.all) {
      if (this.#closed || entry.paused) continue;
      const due = dueAt(timetableOf(entry), entry.done_until, this.#parts.dependencies.clock.now());
      if (due !== undefined) await this.#run(entry, due);
    }
  }

  async #run(entry: StoredSchedule, due: Due): Promise<void> {
    const { id, request } = entry;
    const at = this.#now();
    const due_at = new Date(due.at).toISOString();
    const isSkipped = due.isLate && request.missed === "skip";
    const missed = due.missed + (isSkipped ? 1 : 0);
    const done = { ...entry, done_until: Math.max(entry.done_until, due.at) };
    if (isSkipped) {
      const message = `${missed === 1 ? "This time was" : `${missed} times were`} missed, and skipped.`;
      await this.#book.save({ ...done, last: { at, due_at, message } }, at, [
        this.#audit(SYSTEM, "schedule.skip", id, { due_at, missed }),
      ]);
      return;
    }
    let started: StoredSchedule | undefined;
    const documents = (view: SessionView): readonly NewDocument[] => {
      started = { ...done, started: entry.started + 1, last: { at, due_at, session_id: view.id } };
      return [this.#book.rowOf(started, at)];
    };
    try {
      const view = await startTriggered(this.#parts, {
        token_id: entry.token_id,
        created_by: entry.created_by,
        template: request.template,
        template_hash: entry.template_hash,
        max_cost_microusd: request.max_cost_microusd,
        key: `${id}/${due_at}`,
        prompt: (text) => text,
        metadata: { schedule: id, due_at },
        documents,
      });
      if (started !== undefined) this.#book.put(started);
      const details = { due_at, session_id: view.id, missed };
      await this.#parts.dependencies.store.commit({ audit: [this.#audit(SYSTEM, "schedule.start", id, details)] });
    } catch (error) {
      if (passesByItself(error)) throw error;
      const { code, message } = error as Failure;
      const isHalted = code === "unauthenticated" || isTemplateChange(error);
      const failed = { ...done, paused: entry.paused || isHalted, last: { at, due_at, message } };
      await this.#book.save(failed, at, [this.#audit(SYSTEM, "schedule.fail", id, { due_at, code, message })]);
    }
  }

  #check(caller: Caller, entry: StoredSchedule): StoredSchedule {
    authorizeStarting(caller, "trigger.manage", { created_by: entry.created_by, what: `schedule ${entry.id}` });
    return entry;
  }

  #find(id: string): StoredSchedule {
    const entry = this.#book.get(id);
    if (entry === undefined) throw new Failure("not_found", `there is no schedule ${id}`);
    return entry;
  }

  #now(): string {
    return new Date(this.#parts.dependencies.clock.now()).toISOString();
  }

  #audit(by: PrincipalRef, action: string, target: string, details?: unknown): AuditRow {
    return auditRow(this.#parts.dependencies, by, { action, target, details });
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

function timetableOf({ request: { cron, at, time_zone = "UTC" } }: StoredSchedule): Timetable {
  return { cron, at, time_zone };
}
