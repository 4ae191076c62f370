import type { CreateNotificationTarget, NotificationEvent, NotificationKind } from "../../../protocol/index.ts";
import { t } from "../../ui/language/t.ts";

export const KIND_NAMES: Readonly<Record<NotificationKind, string>> = {
  push: t("Browser"),
  ntfy: "ntfy",
  slack: "Slack",
  discord: "Discord",
  telegram: "Telegram",
  webhook: t("Webhook"),
};

export type ServiceKind = Exclude<NotificationKind, "push">;

interface ServiceField {
  readonly name: "url" | "token" | "chat_id";
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  /** It is nobody else's business: typed unseen. */
  readonly isSecret?: true;
  readonly isOptional?: true;
}

/** What each service needs. */
export const SERVICE_FIELDS: Readonly<Record<ServiceKind, readonly ServiceField[]>> = {
  ntfy: [
    {
      name: "url",
      label: t("Topic address"),
      hint: t("Anybody who knows the topic can read it: choose one that nobody guesses, or use an access token."),
      placeholder: "https://ntfy.sh/my-long-topic",
    },
    {
      name: "token",
      label: t("Access token"),
      hint: t("If the topic needs one."),
      placeholder: "tk_…",
      isSecret: true,
      isOptional: true,
    },
  ],
  slack: [
    {
      name: "url",
      label: t("Incoming webhook"),
      hint: t("From your Slack app’s page Incoming Webhooks."),
      placeholder: "https://hooks.slack.com/services/…",
      isSecret: true,
    },
  ],
  discord: [
    {
      name: "url",
      label: t("Webhook URL"),
      hint: t("From the channel’s settings: Integrations, Webhooks."),
      placeholder: "https://discord.com/api/webhooks/…",
      isSecret: true,
    },
  ],
  telegram: [
    { name: "token", label: t("Bot token"), hint: t("From @BotFather."), placeholder: "123456:…", isSecret: true },
    {
      name: "chat_id",
      label: t("Chat"),
      hint: t("The chat’s number, or @name of a channel. Write to the bot once first."),
      placeholder: "123456789",
    },
  ],
  webhook: [
    {
      name: "url",
      label: t("Address"),
      hint: t("Gets signed JSON. The secret is shown once you have added it."),
      placeholder: "https://example.org/hooks/sallyport",
    },
  ],
};

export const SERVICE_KINDS = Object.keys(SERVICE_FIELDS) as readonly ServiceKind[];

export interface ServiceDraft {
  readonly kind: ServiceKind;
  readonly name: string;
  readonly values: Readonly<Partial<Record<ServiceField["name"], string>>>;
  readonly events: readonly NotificationEvent[];
}

/** The request for a draft. What the service needs is checked by the server. */
export function serviceRequest(draft: ServiceDraft, consoleUrl: string): CreateNotificationTarget {
  const given = SERVICE_FIELDS[draft.kind].flatMap(({ name }) => {
    const value = draft.values[name]?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return {
    kind: draft.kind,
    ...Object.fromEntries(given),
    ...(draft.name.trim() === "" ? {} : { name: draft.name.trim() }),
    events: [...draft.events],
    console_url: consoleUrl,
  } as CreateNotificationTarget;
}
