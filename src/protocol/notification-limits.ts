/** Bounds of notifications and of pairing a phone; a part of LIMITS. */
export const NOTIFICATION_LIMITS = {
  /** Places that are told: of everybody, and of one token. */
  notificationTargets: 200,
  notificationTargetsPerToken: 20,
  /** An address, a name, a template, and the base of links. */
  notificationAddressChars: 700,
  notificationNameChars: 100,
  notificationTemplateChars: 1_000,
  notificationLinkChars: 300,
  /** The title and the text of a notification. */
  notificationTitleChars: 120,
  notificationTextChars: 400,
  /** The longest call that can be approved from a notification: all of it must be in sight. */
  notificationCallChars: 220,
  /** A message before it is encrypted. Push services take 4,096 bytes with all that is added. */
  pushPlainBytes: 3_500,
  /** Messages that wait to be sent, and those that are being sent at once. */
  notificationsWaiting: 1_000,
  notificationsAtOnce: 4,
  /** How often one is tried, and how long it waits before the second try; then four times as long each. */
  notificationTries: 4,
  notificationRetryMs: 5_000,
  /** The longest wait that a service can ask for. */
  notificationRetryMaxMs: 900_000,
  /** One request, with its answer. */
  notificationSendMs: 15_000,
  /** How long a push service keeps a message for a device that is away. Seconds. */
  pushTtlS: 86_400,
  /** How long one signature for a push service counts. Seconds. */
  vapidLifeS: 43_200,
  /** How long it is remembered that somebody was told of a question. */
  notifiedKeptMs: 604_800_000,
  /** Questions of earlier runs that are told after a start. */
  notificationsAtStart: 200,
  /** What proves that an answer comes from a notification. */
  notificationAnswerChars: 200,
  /** How long a pairing code can be used, and how many wait at once. */
  pairingMs: 300_000,
  pairings: 20,
  /** The life of a phone's token: usual and longest. Seconds. */
  pairedTokenS: 604_800,
  pairedTokenMaxS: 7_776_000,
} as const;
