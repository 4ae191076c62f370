import type { CreateSchedule } from "../../../../protocol/index.ts";
import { parseDollars } from "../../../ui/dollars.ts";
import { amountProblem } from "../tokens/keys/key-fields.ts";

/** What every trigger is made of, as typed. */
export interface TriggerFields {
  readonly name: string;
  readonly template: string;
  readonly maxCost: string;
}

export function isTriggerWhole({ name, template, maxCost }: TriggerFields): boolean {
  return name.trim() !== "" && template !== "" && amountProblem(maxCost) === undefined;
}

/** A schedule's form as typed. */
export interface ScheduleFields extends TriggerFields {
  readonly repeats: boolean;
  readonly cron: string;
  /** Of a `datetime-local` field: without a zone, in the browser's. */
  readonly at: string;
  readonly timeZone: string;
  readonly missed: "run_once" | "skip";
}

/** The request from these fields. Undefined: something is missing. */
export function scheduleOf(fields: ScheduleFields): CreateSchedule | undefined {
  const { name, template, maxCost, repeats, cron, at, timeZone, missed } = fields;
  if (!isTriggerWhole(fields)) return undefined;
  const time = new Date(at);
  if (repeats ? cron.trim() === "" : Number.isNaN(time.getTime())) return undefined;
  const most = maxCost.trim() === "" ? undefined : parseDollars(maxCost);
  return {
    name: name.trim(),
    template,
    missed,
    ...(repeats ? { cron: cron.trim(), time_zone: timeZone } : { at: time.toISOString() }),
    ...(most === undefined ? {} : { max_cost_microusd: most }),
  };
}
