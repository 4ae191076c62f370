import type { ProviderAuth, ProviderKind, ProviderWire } from "../../protocol/index.ts";

/** A provider's defaults, unless its settings say otherwise. */
export interface KindDefaults {
  /** Absent: it must be set. No trailing slash; paths begin with `/v1/…`. */
  readonly baseUrl?: string;
  readonly wires: readonly ProviderWire[];
  /** Environment variables that may hold a key, the preferred one first. */
  readonly variables: readonly string[];
  /** Absent: the key's format decides. */
  readonly auth?: ProviderAuth;
  /** Empty: no common default exists. */
  readonly defaultModel: string;
  readonly free: boolean;
  /** Requested with each key in a health check, if the list of models is public. */
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
  // xAI has deprecated its Anthropic wire, so it is not offered.
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

/** A provider of no known kind: everything is in its settings. */
export const OWN_KIND: KindDefaults = { ...KINDS.local, free: false };

/** Anthropic's OAuth tokens begin with this; they use another header than keys. */
export const OAUTH_PREFIX = "sk-ant-oat";
/** A variable that holds a token for `Authorization: Bearer`, whatever the token's format. */
export const BEARER_VARIABLE = "ANTHROPIC_AUTH_TOKEN";
/** Overrides the address of the provider `cloud`, even one in the settings file. */
export const CLOUD_ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL";
