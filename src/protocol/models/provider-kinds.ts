/** What a provider is when its settings do not say otherwise, and how people and tables call it. */
export interface KindDefaults {
  /** As people are told. */
  readonly name: string;
  /** What else they should know when they add its key. */
  readonly note: string;
  /** Absent: it must be set. No trailing slash; paths begin with `/v1/…`. */
  readonly baseUrl?: string;
  readonly wires: readonly ("anthropic" | "openai")[];
  /** The API of the wire `openai` that our own loop asks. */
  readonly openaiApi: "responses" | "chat";
  /** Of a provider that speaks both wires: a glob of the models that are asked on `anthropic`. Absent: all. */
  readonly anthropicModels?: string;
  /** Environment variables that hold a key, the preferred one first. */
  readonly variables: readonly string[];
  /** Absent: a key's own form decides. */
  readonly auth?: "bearer";
  /** Empty: there is none that everybody has. */
  readonly defaultModel: string;
  readonly free: boolean;
  /** What is asked with each key in a health check, where the list of models is open to everybody. */
  readonly keyPath?: string;
  /** Its name in the shipped table of prices. Absent: it has none there. */
  readonly prices?: string;
  /** Its name in OpenTelemetry's GenAI conventions. Absent: they have none, so it goes by ours. */
  readonly telemetry?: string;
}

/** The kinds of providers, in the order in which they are offered. Each but `local` is also a provider that needs only its key. */
export const PROVIDER_KINDS = {
  cloud: {
    name: "Anthropic",
    note: "An OAuth token goes into ANTHROPIC_AUTH_TOKEN instead.",
    baseUrl: "https://api.anthropic.com",
    wires: ["anthropic"],
    openaiApi: "chat",
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    defaultModel: "claude-sonnet-5",
    free: false,
    prices: "anthropic",
    telemetry: "anthropic",
  },
  openai: {
    name: "OpenAI",
    note: "Supports the OpenAI API format only.",
    baseUrl: "https://api.openai.com",
    wires: ["openai"],
    openaiApi: "responses",
    variables: ["OPENAI_API_KEY"],
    auth: "bearer",
    defaultModel: "gpt-5-nano",
    free: false,
    prices: "openai",
  },
  // Its Anthropic wire is deprecated by its owner, so it is not offered.
  xai: {
    name: "xAI",
    note: "Supports the OpenAI API format only.",
    baseUrl: "https://api.x.ai",
    wires: ["openai"],
    openaiApi: "responses",
    variables: ["XAI_API_KEY"],
    auth: "bearer",
    defaultModel: "grok-4-1-fast-reasoning",
    free: false,
    prices: "x-ai",
    telemetry: "x_ai",
  },
  openrouter: {
    name: "OpenRouter",
    note: "Model names include the maker: anthropic/claude-sonnet-5.",
    baseUrl: "https://openrouter.ai/api",
    wires: ["anthropic", "openai"],
    openaiApi: "chat",
    anthropicModels: "anthropic/*",
    variables: ["OPENROUTER_API_KEY"],
    auth: "bearer",
    defaultModel: "anthropic/claude-sonnet-5",
    free: false,
    keyPath: "/v1/key",
    prices: "openrouter",
  },
  local: {
    name: "A model of your own",
    note: "Ollama, llama.cpp, vLLM and others; needs no key and costs nothing unless a price is set.",
    wires: [],
    // Nearly all servers of open models have it, few the other one.
    openaiApi: "chat",
    variables: [],
    auth: "bearer",
    defaultModel: "",
    free: true,
  },
} as const satisfies Readonly<Record<string, KindDefaults>>;

const DEFAULTS: Readonly<Record<string, KindDefaults>> = PROVIDER_KINDS;

/** The kind of that name. Undefined: there is none. */
export function providerKind(name: string): KindDefaults | undefined {
  return Object.hasOwn(DEFAULTS, name) ? DEFAULTS[name] : undefined;
}

/** The providers that exist without any setting. */
export const SHIPPED_PROVIDERS = Object.keys(DEFAULTS).filter((id) => providerKind(id)?.baseUrl !== undefined);
