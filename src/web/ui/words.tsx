import { useEffect, useState, type ReactNode } from "react";
import { spendingParts, type SessionView, type Spending, type Status } from "../../protocol/index.ts";
import { dollarWriter, exactDigits, roundedDigits, writeDollars } from "./dollars.ts";
import { Badge, type Tone } from "./states.tsx";
import { locale, t } from "./language/t.ts";

const write = dollarWriter(locale);

/** Micro-USD as dollars: cents, and more digits where cents would hide it. */
export const money = (microusd: number): string => write(microusd, roundedDigits(microusd));

/** Micro-USD as dollars, with every digit: limits and prices. */
export const exactMoney = (microusd: number): string => write(microusd, exactDigits(microusd));

/** Micro-USD as dollars, each with as many digits as the others: the labels of an axis. */
export function moneyAlike(amounts: readonly number[]): readonly string[] {
  const digits = Math.max(0, ...amounts.map((microusd) => writeDollars(microusd).split(".")[1]?.length ?? 0));
  return amounts.map((microusd) => write(microusd, [digits, digits]));
}

export function count(number: number): string {
  return new Intl.NumberFormat(locale, {
    notation: number >= 10_000 ? "compact" : "standard",
    maximumFractionDigits: 1,
  }).format(number);
}

/** `spent $0.12, $0.03 reserved, at most $0.15`. */
export function spending(amounts: Spending): string {
  return spendingParts(amounts)
    .map(({ kind, microusd }) => {
      const amount = money(microusd);
      switch (kind) {
        case "spent":
          return t("spent {amount}", { amount });
        case "reserved":
          return t("{amount} reserved", { amount });
        case "at_most":
          return t("at most {amount}", { amount });
      }
    })
    .join(", ");
}

const figure = (number: number, digits: number): string =>
  number.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });

export function duration(ms: number): string {
  if (ms < 1_000) return t("{milliseconds} ms", { milliseconds: Math.round(ms) });
  if (ms < 60_000) return t("{seconds} s", { seconds: figure(ms / 1_000, 1) });
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? t("{minutes} min {seconds} s", { minutes, seconds: Math.round((ms % 60_000) / 1_000) })
    : t("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

const STATUS: Readonly<Record<Status, { readonly label: string; readonly tone: Tone }>> = {
  creating: { label: t("starting"), tone: "info" },
  ready: { label: t("ready"), tone: "plain" },
  queued: { label: t("queued"), tone: "info" },
  working: { label: t("working"), tone: "info" },
  pending_approval: { label: t("needs you"), tone: "warn" },
  paused: { label: t("paused"), tone: "plain" },
  idle: { label: t("idle"), tone: "plain" },
  complete: { label: t("closed"), tone: "ok" },
  failed: { label: t("failed"), tone: "bad" },
};

export const statusLabel = (status: Status): string => STATUS[status].label;

export function StatusBadge({ status }: { readonly status: Status }): ReactNode {
  const { label, tone } = STATUS[status];
  return (
    <Badge tone={tone}>
      {status === "working" && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {label}
    </Badge>
  );
}

export const titleOf = (session: Pick<SessionView, "title" | "id">): string =>
  session.title === "" ? t("Untitled session") : session.title;

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** "3 minutes ago", with the exact time as a title. Grows old by itself. */
export function Ago({ at }: { readonly at: string }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  const passed = Date.parse(at) - now;
  const step = STEPS.find(([, ms]) => Math.abs(passed) >= ms);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(locale)} className="whitespace-nowrap">
      {step === undefined ? t("just now") : relative.format(Math.round(passed / step[1]), step[0])}
    </time>
  );
}
