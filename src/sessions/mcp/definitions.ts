import { resolve } from "node:path";
import type { ServerDefinition, ServerLogin, ServerWay } from "../../mcp-client/index.ts";
import {
  LIMITS,
  type CredentialSetting,
  type McpServer,
  type McpServerSetting,
  type McpServerSettings,
  type McpServerView,
} from "../../protocol/index.ts";
import type { LoadedInstructions } from "../../instructions/index.ts";
import type { RepositoryTrust } from "./repository-trust.ts";
import { presentProfile } from "../permission/effective-profile.ts";
import type { Dependencies } from "../dependencies.ts";
import type { SessionState } from "../core/state.ts";
import { refusedServer, ruleOnUrl } from "./narrow.ts";
import type { McpServerValues } from "./values.ts";

/** The MCP servers of `sallyport.yaml`. */
export interface McpServerBook {
  readonly servers: McpServerSettings;
  /** A secret of a server's settings, as its source has it now. Rejects when it cannot be read. */
  secret(server: string, source: CredentialSetting): Promise<string>;
  /** The login at a server; undefined: it has none. */
  login(server: string): ServerLogin | undefined;
  /** A variable for files of repositories; undefined: an admin has set none of this name. */
  variable(name: string): Promise<string | undefined>;
}

/** A server that the session would have, if the policy let it. */
interface RefusedMcpServer extends Pick<ServerDefinition, "name" | "from" | "transport"> {
  readonly refused: string;
}

export type WantedMcpServer = ServerDefinition | RefusedMcpServer;

/** What the servers of a session depend on. */
export interface ServedSession {
  readonly state: Pick<SessionState, "id" | "settings" | "created_by" | "token">;
  readonly dependencies: Pick<Dependencies, "policy" | "mcpServers" | "mcpValues">;
  /** What the workspace says, as it was read last. Absent: nothing was read yet. */
  readonly instructions?: { readonly current: Pick<LoadedInstructions, "repository"> };
  /** Whether its programs may be used. Absent: they may not. */
  readonly servers?: { readonly trust: Pick<RepositoryTrust, "approved"> };
}

/** The servers that a session has under the settings and the policy of now; those of the settings first. */
export function wantedServers(session: ServedSession): readonly WantedMcpServer[] {
  const { state, dependencies } = session;
  const { settings, id, created_by } = state;
  const book = dependencies.mcpServers;
  const approved = session.servers?.trust.approved;
  const ofRepository = approved === undefined ? {} : (session.instructions?.current.repository.servers ?? {});
  const named = [settings.mcp_servers ?? {}, book.servers, ofRepository];
  if (named.every((servers) => Object.keys(servers).length === 0)) return [];
  const profile = presentProfile(dependencies.policy(), state);
  if (profile === undefined) return [];
  const rights = { role: created_by.role, profile, settings: book.servers, workspace: settings.workspace };
  const wanted = new Map<string, WantedMcpServer>();
  for (const [name, setting] of Object.entries(book.servers)) {
    const isNamed = profile.mcp_servers?.includes(name) === true;
    // A visitor has only what its profile names.
    const isForAll = setting.sessions === "all" && created_by.role !== "visitor";
    if (isNamed || isForAll)
      wanted.set(name, fromSettings(name, setting, { book, from: isNamed ? "profile" : "settings", state }));
  }
  for (const [name, server] of Object.entries(settings.mcp_servers ?? {})) {
    if (wanted.has(name)) continue;
    const refused = refusedServer(name, server, rights);
    const setting = server.type === "settings" ? book.servers[name] : undefined;
    if (refused !== undefined) wanted.set(name, { name, from: "session", transport: transportOf(server), refused });
    else if (setting !== undefined) wanted.set(name, fromSettings(name, setting, { book, from: "session", state }));
    else if (server.type !== "settings") {
      const values = async (): Promise<McpServerValues[string]> => (await dependencies.mcpValues.read(id))[name] ?? {};
      const isNamed = "url" in server && ruleOnUrl(new URL(server.url), profile) === "named";
      wanted.set(name, fromRequest(name, server, { values, isNamed, workspace: settings.workspace }));
    }
  }
  for (const [name, server] of Object.entries(ofRepository)) {
    if (wanted.has(name) || server.type === "settings") continue;
    // A person approved the program, as anything that runs in the sandbox. A host is asked from outside of it.
    const role = "command" in server ? "admin" : (approved?.role ?? "visitor");
    const refused = refusedServer(name, server, { ...rights, role });
    const isNamed = "url" in server && ruleOnUrl(new URL(server.url), profile) === "named";
    const parts = { isNamed, workspace: settings.workspace, values: () => filledIn(server, book) };
    if (refused !== undefined) wanted.set(name, { name, from: "repository", transport: transportOf(server), refused });
    else wanted.set(name, { ...fromRequest(name, server, parts), from: "repository" });
  }
  return [...wanted.values()].slice(0, LIMITS.mcpServers);
}

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** The values of a repository's server, with the variables that an admin set for such files. The server's own environment is not read. */
async function filledIn(
  server: Exclude<McpServer, { type: "settings" }>,
  book: Pick<McpServerBook, "variable">,
): Promise<McpServerValues[string]> {
  const fill = async (text: string): Promise<string> => {
    const names = [...new Set([...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []))];
    const values = new Map(await Promise.all(names.map(async (name) => [name, await book.variable(name)] as const)));
    return text.replaceAll(VARIABLE, (_all, name: string, usual: string | undefined) => {
      const value = values.get(name) ?? usual;
      if (value === undefined)
        throw new Error(`it wants the variable ${name}; an admin can set it in mcp_variables of sallyport.yaml`);
      return value;
    });
  };
  const filled = async (texts: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(Object.entries(texts).map(async ([name, text]) => [name, await fill(text)] as const)),
    );
  return "command" in server ? { env: await filled(server.env) } : { headers: await filled(server.headers) };
}

/** Files and folders that the session's servers consist of. */
export function filesOfServers({ state, dependencies }: ServedSession): readonly string[] {
  const { servers } = dependencies.mcpServers;
  return wantedServers({ state, dependencies }).flatMap((wanted) => {
    const setting = "refused" in wanted || wanted.isOwn ? undefined : servers[wanted.name];
    return setting !== undefined && "files" in setting ? (setting.files ?? []) : [];
  });
}

function transportOf(server: McpServer): McpServerView["transport"] {
  return server.type === "http" || server.type === "sse" ? server.type : "stdio";
}

function fromSettings(
  name: string,
  setting: McpServerSetting,
  {
    book,
    from,
    state,
  }: {
    readonly book: McpServerBook;
    readonly from: McpServerView["from"];
    readonly state: ServedSession["state"];
  },
): ServerDefinition {
  const { workspace } = state.settings;
  const secret = (source: CredentialSetting): Promise<string> => book.secret(name, source);
  return {
    name,
    from,
    key: JSON.stringify(setting),
    isOwn: false,
    transport: setting.type ?? "stdio",
    tiers: setting.tools ?? {},
    callMs: setting.call_timeout_ms ?? LIMITS.mcpCallMs,
    startMs: setting.start_timeout_ms ?? LIMITS.mcpStartMs,
    way: () => settingWay(setting, { workspace, secret, login: book.login(name) }),
  };
}

interface SettingMeans {
  /** Absolute. */
  readonly workspace: string;
  readonly secret: (source: CredentialSetting) => Promise<string>;
  readonly login: ServerLogin | undefined;
}

/** How a server of the settings is reached, with its secrets as they are now. */
export async function settingWay(
  setting: McpServerSetting,
  { workspace, secret, login }: SettingMeans,
): Promise<ServerWay> {
  const texts = async (values: SettingTexts = {}): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(values).map(async ([key, value]): Promise<[string, string]> => {
          if (typeof value === "string") return [key, value];
          const found = await secret(value);
          return [key, key.toLowerCase() === "authorization" ? `Bearer ${found}` : found];
        }),
      ),
    );
  if ("command" in setting) return program(setting, await texts(setting.env), workspace);
  // Whoever writes the settings names the host.
  const headers = await texts(setting.headers);
  return { kind: setting.type, url: new URL(setting.url), headers, rule: "named", login };
}

type SettingTexts = Readonly<Record<string, string | CredentialSetting>>;

interface RequestedParts {
  readonly values: () => Promise<McpServerValues[string]>;
  /** The profile names its host. */
  readonly isNamed: boolean;
  readonly workspace: string;
}

function fromRequest(
  name: string,
  server: Exclude<McpServer, { type: "settings" }>,
  { values, isNamed, workspace }: RequestedParts,
): ServerDefinition {
  return {
    name,
    from: "session",
    key: JSON.stringify([server, isNamed]),
    isOwn: true,
    transport: transportOf(server),
    tiers: {},
    callMs: LIMITS.mcpCallMs,
    startMs: LIMITS.mcpStartMs,
    way: async (): Promise<ServerWay> => {
      const { env = {}, headers = {} } = await values();
      if ("command" in server) return program(server, env, workspace);
      return { kind: server.type, url: new URL(server.url), headers, rule: isNamed ? "named" : "matched" };
    },
  };
}

function program(
  { command, args = [], cwd = "." }: Pick<Extract<McpServer, { command: string }>, "command" | "args" | "cwd">,
  env: Readonly<Record<string, string>>,
  workspace: string,
): ServerWay {
  return { kind: "stdio", argv: [command, ...args], cwd: resolve(workspace, cwd), env, workspace };
}
