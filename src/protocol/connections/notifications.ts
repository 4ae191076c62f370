import { z } from "zod";
import { Approval } from "../sessions/approvals.ts";
import { LIMITS } from "../limits.ts";
import { PrincipalRef, Role } from "../access/principals.ts";

/** What people are told: a call or the agent asks, a limit is reached, a turn has ended. */
export const NotificationEvent = z.enum(["question", "budget", "ended"]);
export type NotificationEvent = z.infer<typeof NotificationEvent>;

/** Where notifications go: a browser (`push`), or a service. */
export const NotificationKind = z.enum(["push", "ntfy", "slack", "discord", "telegram", "webhook"]);
export type NotificationKind = z.infer<typeof NotificationKind>;

const Address = z
  .string()
  .max(LIMITS.notificationAddressChars)
  .refine((text) => URL.canParse(text) && /^https?:/.test(text), "must be an address that begins with https://");

const PushKey = z.string().regex(/^[A-Za-z0-9_-]{20,100}$/, "must be base64url");

const common = {
  /** What it is called in lists. Absent: its kind. */
  name: z.string().min(1).max(LIMITS.notificationNameChars).optional(),
  /** Absent: all. */
  events: z.array(NotificationEvent).min(1).max(NotificationEvent.options.length).optional(),
  /** `own`: only of sessions that the caller began. Absent: of all that it may see. */
  sessions: z.enum(["all", "own"]).optional(),
};

const service = {
  ...common,
  /** Where people reach the console: links in messages begin with it. Absent: messages have no link. */
  console_url: z
    .string()
    .max(LIMITS.notificationLinkChars)
    .refine(
      (text) => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text.replace(/\/$/, ""),
      "must be the address of the console, such as https://agents.example.org, without a path",
    )
    .optional(),
  /** The message, with `{{title}}`, `{{text}}`, `{{session}}`, `{{event}}` and `{{link}}` in it. Absent: a usual one. */
  template: z.string().min(1).max(LIMITS.notificationTemplateChars).optional(),
};

export const CreateNotificationTarget = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("push"),
    ...common,
    /** As the browser's PushSubscription says it. */
    endpoint: Address,
    keys: z.strictObject({ p256dh: PushKey, auth: PushKey }),
    /** `direct`: the notification's buttons answer. `unlocked`: they open the console, which answers once it is in sight. Absent: no buttons. */
    answers: z.enum(["direct", "unlocked"]).optional(),
  }),
  z.strictObject({
    kind: z.literal("ntfy"),
    ...service,
    /** With the topic: `https://ntfy.sh/my-topic`. */
    url: Address,
    /** An access token. Absent: the topic needs none. */
    token: z.string().min(1).max(200).optional(),
  }),
  z.strictObject({ kind: z.literal("slack"), ...service, url: Address }),
  z.strictObject({ kind: z.literal("discord"), ...service, url: Address }),
  z.strictObject({
    kind: z.literal("telegram"),
    ...service,
    /** The bot's token. */
    token: z.string().regex(/^\d{1,20}:[\w-]{10,100}$/, "must be the token of a bot, as @BotFather gives it"),
    chat_id: z.string().regex(/^(@\w{1,100}|-?\d{1,30})$/, "must be a chat's number or @name"),
    /** A Bot API server of your own. Absent: Telegram's. */
    url: Address.optional(),
  }),
  /** Signed as Standard Webhooks says. The secret is in the answer, once. */
  z.strictObject({ kind: z.literal("webhook"), ...service, url: Address }),
]);
export type CreateNotificationTarget = z.infer<typeof CreateNotificationTarget>;

/** What became of the last message. */
const NotificationResult = z.object({ at: z.string(), ok: z.boolean(), message: z.string() });
export type NotificationResult = z.infer<typeof NotificationResult>;

export const NotificationTargetView = z.object({
  id: z.string(),
  kind: NotificationKind,
  name: z.string(),
  events: z.array(NotificationEvent),
  sessions: z.enum(["all", "own"]),
  /** The host of its address: the rest may be secret. */
  host: z.string(),
  /** Tells a browser which one it is: a hash of its endpoint. Absent: no browser. */
  endpoint_hash: z.string().optional(),
  created_at: z.string(),
  created_by: PrincipalRef,
  /** The token that it ends with. */
  token_id: z.string(),
  /** Since the server's start. Absent: nothing was sent. */
  last: NotificationResult.optional(),
});
export type NotificationTargetView = z.infer<typeof NotificationTargetView>;

export const NotificationSettings = z.object({
  /** For a browser's `pushManager.subscribe`. */
  push_key: z.string(),
  targets: z.array(NotificationTargetView),
});
export type NotificationSettings = z.infer<typeof NotificationSettings>;

/** `secret`: of a webhook, shown this once. */
export const NotificationTargetCreated = NotificationTargetView.extend({ secret: z.string().optional() });
export type NotificationTargetCreated = z.infer<typeof NotificationTargetCreated>;

/** The answer of somebody who saw a whole call in a notification. The ticket came with it, encrypted for that browser alone. */
export const NotificationAnswer = z.strictObject({
  target_id: z.string().max(100),
  approval_id: z.string().max(100),
  input_hash: z.string().max(100),
  decision: z.enum(["approve", "reject"]),
  ticket: z.string().max(LIMITS.notificationAnswerChars),
});
export type NotificationAnswer = z.infer<typeof NotificationAnswer>;

/** How the question ended: nothing of what it was about. */
export const NotificationAnswered = Approval.pick({ id: true, status: true, tool: true });
export type NotificationAnswered = z.infer<typeof NotificationAnswered>;

/** What a browser gets, encrypted. The service worker shows it. */
export interface PushMessage {
  readonly event: NotificationEvent | "test";
  readonly title: string;
  readonly text: string;
  /** A later message with the same tag takes the place of this one. */
  readonly tag: string;
  /** What a click opens: a path of the console. */
  readonly path: string;
  /** Absent: it cannot be answered from the notification. */
  readonly answer?: Omit<NotificationAnswer, "decision"> & { readonly how: "direct" | "unlocked" };
}

/** A code that a phone exchanges for a token of its own. */
export const CreatePairing = z.strictObject({
  name: z.string().min(1).max(LIMITS.notificationNameChars).optional(),
  /** Of the phone's token. Absent: `operator`, or the caller's own role if that is less. */
  role: Role.optional(),
  /** The life of the phone's token, seconds. */
  expires_in_s: z.number().int().min(60).max(LIMITS.pairedTokenMaxS).optional(),
});
export type CreatePairing = z.infer<typeof CreatePairing>;

/** The code is shown this once. It belongs behind the `#` of a link, which no server sees. */
export const PairingCreated = z.object({
  id: z.string(),
  code: z.string(),
  role: Role,
  /** Of the code. */
  expires_at: z.string(),
  /** Of the token that the phone gets. */
  token_expires_in_s: z.number().int(),
});
export type PairingCreated = z.infer<typeof PairingCreated>;

/** `used`: the phone has its token, `token_id`. */
export const PairingView = z.object({
  id: z.string(),
  state: z.enum(["waiting", "used", "ended"]),
  token_id: z.string().optional(),
});
export type PairingView = z.infer<typeof PairingView>;

export const RedeemPairing = z.strictObject({ code: z.string().min(1).max(200) });
export type RedeemPairing = z.infer<typeof RedeemPairing>;
