import { Failure, mcpSecrets, type CredentialSetting, type Log, type Redactor } from "../protocol/index.ts";
import { sourceOf } from "../proxy/providers/resolve.ts";
import { openSource, type KeySource } from "../proxy/providers/sources.ts";
import type { McpServerBook } from "../sessions/index.ts";
import type { Environment, Settings } from "./settings.ts";

interface BookContext {
  readonly environment: Environment;
  readonly redact: Redactor;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Log, "warn">;
}

/** The MCP servers of the settings. Each secret is read when it is needed. */
export function openMcpServers(
  settings: Pick<Settings, "mcpServers">,
  { environment, redact, now, signal, log }: BookContext,
): McpServerBook {
  const servers = settings.mcpServers?.value ?? {};
  const sources = new Map<string, KeySource>();
  const secret = async (server: string, setting: CredentialSetting): Promise<string> => {
    const owner = `the MCP server ${server}`;
    const key = JSON.stringify([server, setting]);
    const [from] = sourceOf(setting, undefined);
    const source = sources.get(key) ?? (from && openSource(from, { owner, environment, now, signal }));
    if (source === undefined) throw new Failure("invalid_request", `${owner} has no source for a secret`);
    sources.set(key, source);
    const [found] = await source.read();
    if (found === undefined) throw new Failure("invalid_request", `${source.name} holds no credential for ${owner}`);
    redact.learn(found.value);
    return found.value;
  };
  // At once: what is learned now is hidden wherever it turns up.
  for (const [server, source] of mcpSecrets(servers))
    secret(server, source).catch((error: unknown) =>
      log.warn({ server, err: error }, "a credential of an MCP server cannot be read"),
    );
  return { servers, secret };
}
