import { join } from "node:path";
import { LoginFiles, ServerLogin } from "../../mcp-client/index.ts";
import type { publicAddress } from "../../network/index.ts";
import { Failure, mcpSecrets, type CredentialSetting, type Log, type Redactor } from "../../protocol/index.ts";
import { sourceOf } from "../../proxy/providers/resolve.ts";
import { openSource, type KeySource } from "../../proxy/providers/sources.ts";
import type { McpServerBook } from "../../sessions/index.ts";
import type { Environment, Settings } from "../settings/settings.ts";

interface BookContext {
  readonly environment: Environment;
  /** The server's own folder, for logins. Absolute. */
  readonly home: string;
  readonly redact: Redactor;
  readonly now: () => number;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Log, "warn">;
  /** Where names lead. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
}

/** The MCP servers of the settings. Each secret is read when it is needed. */
export function openMcpServers(
  settings: Pick<Settings, "mcpServers" | "mcpVariables">,
  { environment, home, redact, now, signal, log, addressOf }: BookContext,
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
  for (const [server, source] of mcpSecrets(servers, settings.mcpVariables?.value))
    secret(server, source).catch((error: unknown) =>
      log.warn({ server, err: error }, "a credential of an MCP server cannot be read"),
    );
  const files = new LoginFiles(join(home, "mcp-logins"), redact);
  const logins = new Map(
    Object.entries(servers).flatMap(([name, setting]): [string, ServerLogin][] => {
      if (!("url" in setting) || setting.oauth === undefined) return [];
      const {
        client_id,
        client_secret,
        client_metadata_url: clientMetadataUrl,
        scope,
      } = setting.oauth === true ? {} : setting.oauth;
      const client = async (): Promise<{ client_id: string; client_secret?: string } | undefined> =>
        client_id === undefined
          ? undefined
          : {
              client_id,
              ...(client_secret === undefined ? {} : { client_secret: await secret(name, client_secret) }),
            };
      return [
        [
          name,
          new ServerLogin({ name, url: new URL(setting.url), files, now, client, clientMetadataUrl, scope, addressOf }),
        ],
      ];
    }),
  );
  const variables = settings.mcpVariables?.value ?? {};
  const variable = async (name: string): Promise<string | undefined> => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return typeof value === "object" ? secret(`variable ${name}`, value) : value;
  };
  return { servers, secret, login: (name) => logins.get(name), variable };
}
