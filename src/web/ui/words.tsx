import { useEffect, useState, type ReactNode } from "react";
import type { SessionView, Status } from "../../protocol/index.ts";
import { Badge, type Tone } from "./states.tsx";

const MICRO = 1_000_000;
const CENT_MICRO = 10_000;

/** Micro-USD as dollars: cents, and more digits where cents would hide it. */
export function money(microusd: number): string {
  const digits = microusd === 0 || Math.abs(microusd) >= CENT_MICRO ? 2 : 4;
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(microusd / MICRO);
}

export function count(number: number): string {
  return new Intl.NumberFormat("en-US", {
    notation: number >= 10_000 ? "compact" : "standard",
    maximumFractionDigits: 1,
  }).format(number);
}

/** "1 request", "2 requests". */
export function counted(number: number, thing: string): string {
  return `${count(number)} ${number === 1 ? thing : `${thing}s`}`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const STATUS: Readonly<Record<Status, { readonly label: string; readonly tone: Tone }>> = {
  creating: { label: "starting", tone: "info" },
  ready: { label: "ready", tone: "plain" },
  queued: { label: "queued", tone: "info" },
  working: { label: "working", tone: "info" },
  pending_approval: { label: "needs you", tone: "warn" },
  paused: { label: "paused", tone: "plain" },
  idle: { label: "idle", tone: "plain" },
  complete: { label: "closed", tone: "ok" },
  failed: { label: "failed", tone: "bad" },
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
  session.title === "" ? "Untitled session" : session.title;

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

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
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
      {step === undefined ? "just now" : relative.format(Math.round(passed / step[1]), step[0])}
    </time>
  );
}
