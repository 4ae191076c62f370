import type { TunnelLinkState, TunnelOfferView, TunnelView } from "../../../../protocol/index.ts";
import type { Tone } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

interface StateWords {
  readonly label: string;
  readonly tone: Tone;
}

const STATES: Readonly<Record<TunnelLinkState, StateWords>> = {
  connected: { label: t("connected"), tone: "ok" },
  interrupted: { label: t("interrupted"), tone: "warn" },
  waiting: { label: t("not connected"), tone: "plain" },
  refused: { label: t("refused"), tone: "bad" },
};

export function stateWords(state: TunnelLinkState): StateWords {
  return STATES[state];
}

export function offerWords({ state, paused, pairing_until }: TunnelOfferView): StateWords {
  if (paused) return { label: t("paused"), tone: "warn" };
  if (state !== "connected" && pairing_until !== undefined) return { label: t("waiting for the code"), tone: "info" };
  return STATES[state];
}

const AUTH: Readonly<Record<string, string>> = {
  psk: t("pre-shared key"),
  nostr: t("Nostr signature"),
  none: t("none, from this machine only"),
};

export function authWords(auth_type: string): string {
  return AUTH[auth_type] ?? auth_type;
}

export function rateWords({ rate_limit }: Pick<TunnelView, "rate_limit">): string {
  if (rate_limit === undefined) return "none";

  return t("{requests} requests and {tokens} tokens a minute", {
    requests: rate_limit.requests_per_minute,
    tokens: rate_limit.tokens_per_minute,
  });
}

/** Without its path, which may be a secret. */
export function hostWords(url: string | undefined): string {
  if (url === undefined) return t("connects to this server");
  return URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : url;
}

export function agentWords(agents: readonly string[]): string {
  return agents.length === 0 ? t("all that can authenticate") : agents.join(", ");
}

/** How a gateway reaches this server's tunnels, seen from this page. */
export function tunnelAddress(origin: string): string {
  return `${origin.replace(/^http/, "ws")}/tunnel`;
}
