import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "../models/money.ts";
import { PrincipalRef } from "../access/principals.ts";

const Name = z.string().min(1).max(200);
const TemplateId = z.string().min(1).max(100);

/** What happens with times at which no server ran, or the clock jumped over: one session for all of them, or none. */
const MissedTimes = z.enum(["run_once", "skip"]);

/** Starts a session from a template, at each time of a cron expression or once. */
export const CreateSchedule = z
  .object({
    name: Name,
    template: TemplateId,
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    cron: z.string().min(1).max(LIMITS.cronChars).optional(),
    /** Once, at this time. */
    at: z.iso.datetime({ offset: true }).optional(),
    /** In which `cron` is meant, such as Europe/Madrid. Absent: UTC. */
    time_zone: z.string().min(1).max(LIMITS.timeZoneChars).optional(),
    /** Absent: `run_once`. */
    missed: MissedTimes.optional(),
    /** The most that one of its sessions may cost, micro-USD. Absent: as the template says. */
    max_cost_microusd: MicroUsd.optional(),
  })
  .strict()
  .refine(({ cron, at }) => (cron === undefined) !== (at === undefined), "needs cron or at, and not both")
  .refine(
    ({ at, time_zone }) => at === undefined || time_zone === undefined,
    "time_zone goes with cron; at has its own",
  );
export type CreateSchedule = z.infer<typeof CreateSchedule>;

/** What became of the last time at which something was due. */
export const TriggerResult = z.object({
  at: z.string(),
  /** Of a schedule: the time that it was due. */
  due_at: z.string().optional(),
  /** Absent: none was started. */
  session_id: z.string().optional(),
  /** Why none was started. */
  message: z.string().optional(),
});
export type TriggerResult = z.infer<typeof TriggerResult>;

/** What became of it so far, the newest first. */
export const TriggerHistory = z.object({ results: z.array(TriggerResult) });
export type TriggerHistory = z.infer<typeof TriggerHistory>;

const trigger = {
  id: z.string(),
  name: Name,
  template: TemplateId,
  paused: z.boolean(),
  created_at: z.string(),
  created_by: PrincipalRef,
  max_cost_microusd: z.number().int().optional(),
  last: TriggerResult.optional(),
  /** Sessions that it has started. */
  started: z.number().int(),
};

export const ScheduleView = z.object({
  ...trigger,
  cron: z.string().optional(),
  at: z.string().optional(),
  time_zone: z.string(),
  missed: MissedTimes,
  /** The next times, the earliest first. Empty: it is paused or over. */
  next: z.array(z.string()),
});
export type ScheduleView = z.infer<typeof ScheduleView>;
export const ScheduleList = z.object({ schedules: z.array(ScheduleView) });
export type ScheduleList = z.infer<typeof ScheduleList>;

/** Starts a session from a template for each signed delivery. */
export const CreateWebhook = z
  .object({
    name: Name,
    template: TemplateId,
    /** The most that one of its sessions may cost, micro-USD. Absent: as the template says. */
    max_cost_microusd: MicroUsd.optional(),
  })
  .strict();
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const WebhookView = z.object({
  ...trigger,
  /** Where deliveries go, below the server's address. */
  path: z.string(),
});
export type WebhookView = z.infer<typeof WebhookView>;
export const WebhookList = z.object({ webhooks: z.array(WebhookView) });
export type WebhookList = z.infer<typeof WebhookList>;

/** With the secret, which is shown this once. */
export const WebhookCreated = WebhookView.extend({ secret: z.string() });
export type WebhookCreated = z.infer<typeof WebhookCreated>;

export const WebhookAccepted = z.object({ session_id: z.string() });
export type WebhookAccepted = z.infer<typeof WebhookAccepted>;
