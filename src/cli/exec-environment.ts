import { defined, type KeyCreated } from "../protocol/index.ts";
import type { Environment } from "./settings/settings.ts";

/** Credentials and settings with which a program would ask somebody else than this server, or ask it as its user. */
const REMOVED = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_UNIX_SOCKET",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
  "OPENAI_ORG_ID",
  "OPENAI_PROJECT_ID",
  "CODEX_API_KEY",
  "CODEX_ACCESS_TOKEN",
  "SALLYPORT_TOKEN",
]);

/** Where Claude Code looks for the names of its models. */
const MODEL_NAMES = [
  "ANTHROPIC_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "CLAUDE_CODE_SUBAGENT_MODEL",
];

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/** The environment of a program that asks models with this key: the person's own, with the variables of the official clients. */
export function execEnvironment(
  environment: Environment,
  { key, base_url, bounds }: Pick<KeyCreated, "key" | "base_url" | "bounds">,
): Readonly<Record<string, string>> {
  const [model, ...others] = bounds.models ?? [];
  const isOne = model !== undefined && others.length === 0 && !model.includes("*");
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !REMOVED.has(name)));
  return {
    ...defined(kept),
    ...directly(environment, new URL(base_url).hostname),
    ...(isOne ? Object.fromEntries(MODEL_NAMES.map((name) => [name, model])) : {}),
    ANTHROPIC_BASE_URL: base_url,
    ANTHROPIC_AUTH_TOKEN: key,
    OPENAI_BASE_URL: `${base_url}/v1`,
    OPENAI_API_KEY: key,
  };
}

/** With a network proxy, this server is still asked directly. */
function directly(environment: Environment, host: string): Readonly<Record<string, string>> {
  if (!PROXIES.some((name) => (environment[name] ?? "") !== "")) return {};
  const before = environment["NO_PROXY"] ?? environment["no_proxy"] ?? "";
  const list = before === "" ? host : `${before},${host}`;
  return { NO_PROXY: list, no_proxy: list };
}
