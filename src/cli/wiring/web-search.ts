import { Failure, type Log, type Redactor } from "../../protocol/index.ts";
import { sourceOf } from "../../proxy/providers/resolve.ts";
import { openSource } from "../../proxy/providers/sources.ts";
import { modelSearchTool, webSearchTool, type AnyTool } from "../../tools/index.ts";
import type { Environment, Settings } from "../settings/settings.ts";

interface SearchContext {
  readonly environment: Environment;
  readonly redact: Redactor;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Log, "warn">;
}

/** WebSearch, where the settings say whom to ask. Its key is read when it is needed, and never leaves the server but in its header. */
export function openWebSearch(
  { webSearch }: Pick<Settings, "webSearch">,
  { environment, redact, now, signal, log }: SearchContext,
): readonly AnyTool[] {
  if (webSearch === undefined) return [];
  const { provider, base_url: baseUrl, credential } = webSearch.value;
  if (provider === "model") return [modelSearchTool()];
  const [from] = credential === undefined ? [] : sourceOf(credential, undefined);
  if (from === undefined) return [webSearchTool({ provider, baseUrl })];
  const source = openSource(from, { owner: `web_search (${provider})`, environment, now, signal });
  const key = async (): Promise<string> => {
    const [secret] = await source.read();
    if (secret === undefined) throw new Failure("invalid_request", `${source.name} holds no key for web_search`);
    redact.learn(secret.value);
    return secret.value;
  };
  // At once: what is learned now is hidden wherever it turns up.
  key().catch((error: unknown) => log.warn({ provider, err: error }, "the key of web_search cannot be read"));
  return [webSearchTool({ provider, baseUrl, key })];
}
