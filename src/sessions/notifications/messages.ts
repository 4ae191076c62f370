import { createHmac } from "node:crypto";
import { z } from "zod";
import { headOf, LIMITS } from "../../protocol/index.ts";
import type { Notice } from "./notice.ts";
import type { OutgoingMessage } from "./send.ts";

const USUAL = "{{title}}\n{{text}}\n{{link}}";
const DISCORD_CHARS = 2_000;
/** A mark that would hide what Discord puts behind the text. */
const HALF_ESCAPE = /((?:^|[^\\])(?:\\\\)*)\\$/;
const SECRET_PREFIX = "whsec_";

/** The part of a target that nobody is shown: kept in the secret store. */
export const TargetSecret = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("push"),
    endpoint: z.string(),
    keys: z.object({ p256dh: z.string(), auth: z.string() }),
    answers: z.enum(["direct", "unlocked"]).optional(),
  }),
  z.object({ kind: z.literal("ntfy"), url: z.string(), token: z.string().optional() }),
  z.object({ kind: z.literal("slack"), url: z.string() }),
  z.object({ kind: z.literal("discord"), url: z.string() }),
  z.object({ kind: z.literal("telegram"), token: z.string(), chat_id: z.string(), url: z.string().optional() }),
  z.object({ kind: z.literal("webhook"), url: z.string(), secret: z.string() }),
]);
export type TargetSecret = z.infer<typeof TargetSecret>;
export type ServiceSecret = Exclude<TargetSecret, { kind: "push" }>;

/** The parts of a secret that logs must not hold. */
export function secretTexts(secret: TargetSecret): readonly string[] {
  switch (secret.kind) {
    case "push":
      return [secret.endpoint, secret.keys.auth];
    // Whoever knows the topic can read and write there.
    case "ntfy":
      return [secret.url, ...(secret.token === undefined ? [] : [secret.token])];
    case "slack":
    case "discord":
      return [secret.url];
    case "telegram":
      return [secret.token];
    case "webhook":
      return [secret.url, secret.secret];
  }
}

const TELEGRAM = "https://api.telegram.org";

/** Where a target's messages go. */
export function addressOfTarget(secret: TargetSecret): string {
  switch (secret.kind) {
    case "push":
      return secret.endpoint;
    case "telegram":
      return secret.url ?? TELEGRAM;
    case "ntfy":
    case "slack":
    case "discord":
    case "webhook":
      return secret.url;
  }
}

interface MessageParts {
  readonly notice: Notice;
  /** Absent: no link. */
  readonly consoleUrl?: string | undefined;
  readonly template?: string | undefined;
  /** Of this message: the same in each try. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The request that tells a service. */
export function messageFor(secret: ServiceSecret, parts: MessageParts): OutgoingMessage {
  const { notice } = parts;
  const link = parts.consoleUrl === undefined ? undefined : parts.consoleUrl.replace(/\/$/, "") + notice.path;
  const text = filled(parts.template ?? USUAL, notice, link ?? "");
  switch (secret.kind) {
    case "ntfy":
      return ntfy(secret, { notice, link, text });
    case "slack":
      return json(secret.url, { text: slackText(text), mrkdwn: false, unfurl_links: false, unfurl_media: false });
    case "discord":
      return json(secret.url, {
        content: headOf(discordText(text), DISCORD_CHARS).replace(HALF_ESCAPE, "$1"),
        allowed_mentions: { parse: [] },
        flags: 4,
      });
    case "telegram":
      return json(`${(secret.url ?? TELEGRAM).replace(/\/$/, "")}/bot${secret.token}/sendMessage`, {
        chat_id: secret.chat_id,
        text,
        link_preview_options: { is_disabled: true },
      });
    case "webhook":
      return signed(secret, parts, { link, text });
  }
}

/** One pass, so that nothing in a text is taken for a placeholder. */
function filled(template: string, { title, text, session, event }: Notice, link: string): string {
  const values = new Map(Object.entries({ title, text, session, event, link }));
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values.get(name) ?? whole).trim();
}

interface Worded {
  readonly link: string | undefined;
  readonly text: string;
}

/** As JSON at the server's root: titles may hold any letter, which headers may not. */
function ntfy(
  { url, token }: Extract<ServiceSecret, { kind: "ntfy" }>,
  { notice, link, text }: Worded & { readonly notice: Notice },
): OutgoingMessage {
  const address = new URL(url);
  const topic = topicIn(address);
  const message = text.startsWith(`${notice.title}\n`) ? text.slice(notice.title.length + 1) : text;
  const body = {
    topic: decodeURIComponent(topic),
    title: notice.title,
    message,
    priority: notice.event === "ended" ? 3 : 4,
    ...(link === undefined ? {} : { click: link }),
  };
  const base = new URL(address.pathname.slice(0, address.pathname.lastIndexOf(topic)), address.origin);
  return json(base.href, body, token === undefined ? {} : { authorization: `Bearer ${token}` });
}

function topicIn({ pathname }: URL): string {
  return pathname.split("/").findLast((part) => part !== "") ?? "";
}

/** Whether an address ends with a topic that can be sent as text. */
export function hasTopic(address: URL): boolean {
  try {
    return decodeURIComponent(topicIn(address)) !== "";
  } catch {
    return false;
  }
}

function signed(
  { url, secret }: Extract<ServiceSecret, { kind: "webhook" }>,
  { notice, id, now }: MessageParts,
  { link, text }: Worded,
): OutgoingMessage {
  const { event, title, session, session_id, approval } = notice;
  const body = JSON.stringify({
    type: `sallyport.${event}`,
    timestamp: new Date(now).toISOString(),
    data: {
      title,
      text,
      session,
      session_id,
      ...(link === undefined ? {} : { link }),
      ...(approval === undefined ? {} : { approval_id: approval.id, input_hash: approval.input_hash }),
    },
  });
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    url: new URL(url),
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body,
  };
}

export function webhookSecret(bytes: Buffer): string {
  return SECRET_PREFIX + bytes.toString("base64");
}

function json(url: string, body: object, headers: Readonly<Record<string, string>> = {}): OutgoingMessage {
  return { url: new URL(url), headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** Slack's own marks would turn a text into links and mentions. */
function slackText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Without marks that would hide or format a part of a command. */
function discordText(text: string): string {
  return text
    .split("\n")
    .map((line) => (/^https?:\/\/\S+$/.test(line) ? line : line.replaceAll(/[\\*_~`|>#[\]()<@]/g, "\\$&")))
    .join("\n");
}

/** A message that somebody asked for, to see whether it arrives. */
export function testNotice(name: string): Notice {
  return {
    event: "test",
    title: "Sallyport can reach you",
    text: `This is a test for ${name.slice(0, LIMITS.notificationNameChars)}.`,
    session: "",
    session_id: "",
    owner: "",
    tag: "test",
    path: "/approvals",
  };
}
