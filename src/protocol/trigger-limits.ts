/** Bounds of schedules and webhooks; a part of LIMITS. */
export const TRIGGER_LIMITS = {
  schedules: 200,
  webhooks: 200,
  /** Results of a schedule or webhook that are shown, and versions of it that are stored, and read for them. */
  triggerResults: 50,
  triggerVersions: 200,
  /** A cron expression, and a time zone's name. */
  cronChars: 200,
  timeZoneChars: 100,
  /** Days that are looked through for the next time of a schedule; after that it has none. */
  cronSearchDays: 3_660,
  /** Times of a schedule that are shown. */
  scheduleTimesShown: 5,
  /** A session that could not be started this long after its time counts as missed. */
  scheduleLateMs: 60_000,
  /** Missed times that are counted. */
  scheduleMissedCounted: 100,
  /** How often the clock on the wall is asked whether a schedule is due. */
  scheduleCheckMs: 5_000,
  /** How long a schedule waits before it tries again to start a session while nothing can be started. */
  scheduleRetryMs: 15_000,
  /** The body of a delivery. */
  webhookBodyBytes: 262_144,
  /** Bodies of all deliveries whose signature is not checked yet, together. */
  webhookBodiesBytes: 16_777_216,
  /** Deliveries of one webhook a minute. */
  webhookPerMinute: 60,
  /** How far the time of a delivery may be from the clock, seconds. */
  webhookToleranceS: 300,
  /** A delivery's own id. */
  webhookIdChars: 150,
  /** Signatures of one delivery that are tried. */
  webhookSignatures: 5,
} as const;
