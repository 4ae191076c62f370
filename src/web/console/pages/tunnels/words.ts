import type { TunnelLinkState, TunnelOfferView, TunnelView } from "../../../../protocol/index.ts";
import type { Tone } from "../../../ui/states.tsx";

interface StateWords {
  readonly label: string;
  readonly tone: Tone;
}

const STATES: Readonly<Record<TunnelLinkState, StateWords>> = {
  connected: { label: "connected", tone: "ok" },
  interrupted: { label: "interrupted", tone: "warn" },
  waiting: { label: "not connected", tone: "plain" },
  refused: { label: "refused", tone: "bad" },
};

export function stateWords(state: TunnelLinkState): StateWords {
  return STATES[state];
}

export function offerWords({ state, paused, pairing_until }: TunnelOfferView): StateWords {
  if (paused) return { label: "paused", tone: "warn" };
  if (state !== "connected" && pairing_until !== undefined) return { label: "waiting for the code", tone: "info" };
  return STATES[state];
}

const AUTH: Readonly<Record<string, string>> = {
  psk: "pre-shared key",
  nostr: "Nostr signature",
  none: "none, from this machine only",
};

export function authWords(auth_type: string): string {
  return AUTH[auth_type] ?? auth_type;
}

export function rateWords({ rate_limit }: Pick<TunnelView, "rate_limit">): string {
  if (rate_limit === undefined) return "none";
  const figure = (value: number): string => value.toLocaleString("en-US");
  return `${figure(rate_limit.requests_per_minute)} requests and ${figure(rate_limit.tokens_per_minute)} tokens a minute`;
}

/** Without its path, which may be a secret. */
export function hostWords(url: string | undefined): string {
  if (url === undefined) return "connects to this server";
  return URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : url;
}

export function agentWords(agents: readonly string[]): string {
  return agents.length === 0 ? "all that can authenticate" : agents.join(", ");
}

/** How a gateway reaches this server's tunnels, seen from this page. */
export function tunnelAddress(origin: string): string {
  return `${origin.replace(/^http/, "ws")}/tunnel`;
}
