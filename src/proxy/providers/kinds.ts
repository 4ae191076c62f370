import type { ProviderAuth, ProviderKind, ProviderWire } from "../../protocol/index.ts";

/** What a provider is when its settings do not say otherwise. */
export interface KindDefaults {
  /** Absent: it must be set. No trailing slash; paths begin with `/v1/…`. */
  readonly baseUrl?: string;
  readonly wires: readonly ProviderWire[];
  /** Environment variables that hold a key, the preferred one first. */
  readonly variables: readonly string[];
  /** Absent: a key's own form decides. */
  readonly auth?: ProviderAuth;
  /** Empty: there is none that everybody has. */
  readonly defaultModel: string;
  readonly free: boolean;
  /** What is asked with each key in a health check, where the list of models is open to everybody. */
  readonly keyPath?: string;
}

export const KINDS: Readonly<Record<ProviderKind, KindDefaults>> = {
  cloud: {
    baseUrl: "https://api.anthropic.com",
    wires: ["anthropic"],
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    defaultModel: "claude-sonnet-5",
    free: false,
  },
  openai: {
    baseUrl: "https://api.openai.com",
    wires: ["openai"],
    variables: ["OPENAI_API_KEY"],
    auth: "bearer",
    defaultModel: "gpt-5-nano",
    free: false,
  },
  // Its Anthropic wire is deprecated by its owner, so it is not offered.
  xai: {
    baseUrl: "https://api.x.ai",
    wires: ["openai"],
    variables: ["XAI_API_KEY"],
    auth: "bearer",
    defaultModel: "grok-4-1-fast-reasoning",
    free: false,
  },
  openrouter: {
    baseUrl: "https://openrouter.ai/api",
    wires: ["anthropic", "openai"],
    variables: ["OPENROUTER_API_KEY"],
    auth: "bearer",
    defaultModel: "anthropic/claude-sonnet-5",
    free: false,
    keyPath: "/v1/key",
  },
  local: { wires: [], variables: [], auth: "bearer", defaultModel: "", free: true },
};

/** A provider that is like no other: all of it is in its settings. */
export const OWN_KIND: KindDefaults = { ...KINDS.local, free: false };

/** Anthropic's OAuth tokens begin so; they go into another header than keys. */
export const OAUTH_PREFIX = "sk-ant-oat";
/** A variable that holds a token for `Authorization: Bearer`, whatever the token looks like. */
export const BEARER_VARIABLE = "ANTHROPIC_AUTH_TOKEN";
/** Moves the provider `cloud`; wins over the settings file. */
export const CLOUD_ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL";
