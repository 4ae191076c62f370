import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isMap, LineCounter, parseDocument, type Document } from "yaml";
import { z } from "zod";
import {
  allMistakes,
  EgressCredentials,
  FailoverSettings,
  Failure,
  LIMITS,
  McpServerSettings,
  McpVariables,
  isTunnelProvider,
  nearestName,
  MountSettings,
  PoolSettings,
  PriceSettings,
  ProviderSettings,
  RetentionSettings,
  SandboxChoice,
  WebOrigin,
  WebSearchSetting,
  TunnelListener,
  type CredentialSetting,
  type McpServerSetting,
  type Mistake,
} from "../../protocol/index.ts";
import { mistakesFailure } from "../../gate/index.ts";
// Not through the folder's index: it would load an HTTP client for every command.
import { providerIds } from "../../proxy/providers/resolve.ts";
import { AgentSettings } from "./acp.ts";
import { BridgeFileSettings } from "./bridge.ts";
import { ContainerSettings } from "./container.ts";
import { ProgramSettings } from "./programs.ts";
import type { Environment } from "./settings.ts";
import { readTextFile } from "./text-file.ts";
import { replacePrivateFile } from "../home/private-file.ts";

export const SETTINGS_FILE = "sallyport.yaml";

const FileSettings = z
  .object({
    host: z.string().optional(),
    port: z.number().int().min(0).max(65_535).optional(),
    workspace: z.string().optional(),
    model: z.string().optional(),
    provider: z.string().optional(),
    allowed_hosts: z.array(z.string()).optional(),
    allowed_origins: z.array(WebOrigin).max(LIMITS.tokenOrigins).optional(),
    roots: z.array(z.string()).optional(),
    /** Hosts that notifications may go to though they are on the local network, or without TLS. */
    notification_hosts: z.array(z.string().min(1).max(255)).max(LIMITS.notificationTargets).optional(),
    requests_per_minute: z.number().int().min(1).optional(),
    /** How long the answer to a command with an idempotency key is kept. */
    idempotency_seconds: z.number().int().min(LIMITS.idempotencyLeastS).max(LIMITS.idempotencyMostS).optional(),
    /** Document 000's client sessions that are remembered for one principal. */
    client_sessions: z.number().int().min(1).max(LIMITS.clientSessionsMost).optional(),
    /** How long a tunnel's challenge can be answered. */
    challenge_seconds: z.number().int().min(LIMITS.challengeLeastS).max(LIMITS.challengeMostS).optional(),
    /** A line of the log for each request. */
    access_log: z.boolean().optional(),
    /** How long running commands have to end when the server stops. */
    drain_seconds: z.number().int().min(0).max(LIMITS.drainMaxSeconds).optional(),
    // An empty key is left over when the last entry is commented out.
    providers: ProviderSettings.nullable()
      .transform((providers) => providers ?? {})
      .optional(),
    prices: PriceSettings.nullable()
      .transform((prices) => prices ?? {})
      .optional(),
    /** Where models are asked when their provider cannot be used. */
    failover: FailoverSettings.nullable()
      .transform((failover) => failover ?? {})
      .optional(),
    /** The model proxy's own TCP port; 0: any free one. */
    proxy: z
      .object({ port: z.number().int().min(0).max(65_535).optional() })
      .strict()
      .optional(),
    /** Document 000's socket. */
    runtime: z
      .object({
        /** How long a page has for one call of a tool. */
        tool_timeout_ms: z.number().int().min(1).max(LIMITS.pageToolMaxMs).optional(),
        /** Of new conversations. */
        engine: z.string().min(1).max(100).optional(),
        profile: z.string().min(1).max(100).optional(),
        /** Whether parts of the workspace's files are put beside messages that they fit. */
        repository_context: z.boolean().optional(),
      })
      .strict()
      .optional(),
    /** Document 002's socket. */
    bridge: BridgeFileSettings.optional(),
    /** Document 003's files. */
    mounts: MountSettings.nullable()
      .transform((mounts) => mounts ?? {})
      .optional(),
    /** Which sessions are deleted automatically. */
    retention: RetentionSettings.optional(),
    /** Files with tools for every session; relative to the home folder. */
    tool_modules: z.array(z.string().min(1).max(LIMITS.pathChars)).max(LIMITS.toolModules).optional(),
    /** A file whose instructions all sessions get, such as the operator's own CLAUDE.md; relative to the home folder. Absent: none. */
    user_instructions: z.string().min(1).max(LIMITS.pathChars).optional(),
    /** The Claude Code program. */
    claude: z.string().min(1).max(LIMITS.pathChars).optional(),
    /** Other vendors' programs; one that is not named is looked for. */
    programs: ProgramSettings.optional(),
    /** Chromium for the browser tools: `auto`, `off`, or its path. Absent: `auto`. */
    browser: z.string().min(1).max(LIMITS.pathChars).optional(),
    /** Whom WebSearch asks. Absent: there is no WebSearch. */
    web_search: WebSearchSetting.optional(),
    /** Whether sessions have SearchCode. */
    search_code: z.boolean().optional(),
    record_files: z.boolean().optional(),
    /** Where people reach consoles of machines behind this server's tunnels. Absent: nowhere. */
    console_relay: TunnelListener.optional(),
    /** The certificate of this machine's console for people who come through tunnels. Absent: one that it makes itself. */
    console_tls: z
      .object({ certificate: z.string().min(1).max(4_096), key: z.string().min(1).max(4_096) })
      .strict()
      .optional(),
    /** Agents that speak the Agent Client Protocol, by their names: the engines `acp:<name>`. */
    acp_agents: AgentSettings.nullable()
      .transform((agents) => agents ?? {})
      .optional(),
    /** Where `sallyport engine install` puts programs; relative to the home folder. Absent: `programs`. */
    programs_folder: z.string().min(1).max(LIMITS.pathChars).optional(),
    /** Where sessions run that name no sandbox, and whose profile does not. */
    sandbox: SandboxChoice.optional(),
    /** Headers that the egress proxy adds to requests for some hosts. */
    egress_credentials: EgressCredentials.optional(),
    container: ContainerSettings.optional(),
    /** MCP servers, by name. */
    mcp_servers: McpServerSettings.nullable()
      .transform((servers) => servers ?? {})
      .optional(),
    /** Variables that `.mcp.json` files of repositories may name. */
    mcp_variables: McpVariables.optional(),
    /** Prepared workers. */
    pool: PoolSettings.optional(),
    /** Memory of one engine's process with all its children. */
    engine_memory_mib: z.number().int().min(LIMITS.engineMemoryLeastMib).optional(),
    /** Memory of one command that a session runs, with all that it started. */
    command_memory_mib: z.number().int().min(LIMITS.engineMemoryLeastMib).optional(),
    /** Processors' worth of time of one sandbox. Absent: not bounded. */
    sandbox_cpus: z.number().min(LIMITS.sandboxCpusLeast).max(LIMITS.sandboxCpusMost).optional(),
    /** Whether an engine's program is started ahead of time for the next session. */
    start_ahead: z.boolean().optional(),
    /** Whether vendors' programs outlive the server, and for how long without one. */
    supervisor: z.boolean().optional(),
    supervisor_seconds: z.number().int().min(1).max(LIMITS.supervisorMaxSeconds).optional(),
    telemetry: z
      .object({
        /** An OTLP collector; `/v1/traces` is added. */
        endpoint: z.url({ protocol: /^https?$/ }),
        /** The variable with headers for it, as `name=value` with commas. Absent: OTEL_EXPORTER_OTLP_HEADERS. */
        headers_env: z.string().min(1).max(200).optional(),
      })
      .strict()
      .optional(),
  })
  .strict();
export type FileSettings = z.infer<typeof FileSettings>;

export interface SettingsPlace {
  /** The file; absolute. */
  readonly path: string;
  readonly environment: Environment;
}

export function settingsPath(home: string): string {
  return join(home, SETTINGS_FILE);
}

/** The file's content, validated. Undefined: there is no file. A Failure names the place, never its content. */
export function parseSettings(text: string | undefined, { path, environment }: SettingsPlace): FileSettings {
  if (text === undefined) return {};
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  refuseBroken(document, path);
  return checked(document, lines, { path, environment });
}

function checked(document: Document, lines: LineCounter, { path, environment }: SettingsPlace): FileSettings {
  const value = valueOf(document, path) ?? {};
  const parsed = FileSettings.safeParse(value);
  if (!parsed.success) {
    const mistakes = [...allMistakes(FileSettings, value), ...unknownProvider(value)];
    throw mistakesFailure({ name: path, document, lines }, mistakes);
  }
  const lost = lostPlaces(parsed.data);
  if (lost.length > 0) throw mistakesFailure({ name: path, document, lines }, lost);
  const { providers, egress_credentials, mcp_servers, mcp_variables, ...settings } = parsed.data;
  const whole = keyFilePlacer(path, environment);
  return {
    ...settings,
    ...(providers === undefined ? {} : { providers: inPlace(providers, whole) }),
    ...(egress_credentials === undefined ? {} : { egress_credentials: egress_credentials.map(whole) }),
    ...(mcp_servers === undefined ? {} : { mcp_servers: serversInPlace(mcp_servers, whole) }),
    ...(mcp_variables === undefined ? {} : { mcp_variables: textsInPlace(mcp_variables, whole) }),
  };
}

/** A provider that is not configured: reported with the other mistakes, since it would be the next one. */
function unknownProvider(value: unknown): readonly Mistake[] {
  const { provider, providers } = value as Readonly<Record<string, unknown>>;
  if (typeof provider !== "string" || (typeof providers !== "object" && providers !== undefined)) return [];
  const known = providerIds((providers ?? {}) as ProviderSettings);
  if (known.includes(provider)) return [];
  const near = nearestName(provider, known);
  const meant = near === undefined ? `there are: ${known.join(", ")}` : `did you mean ${near}?`;
  return [{ path: ["provider"], message: `${provider} is not a provider; ${meant}` }];
}

/** Places of `failover` at a provider that does not exist: nobody would notice before it is needed. */
function lostPlaces({ failover = {}, providers = {} }: FileSettings): readonly Mistake[] {
  const known = providerIds(providers);
  return Object.entries(failover).flatMap(([model, places]) =>
    places.flatMap(({ provider }, index) =>
      // Tunnels come and go while the server runs: one that is not there is left out then.
      known.includes(provider) || isTunnelProvider(provider)
        ? []
        : [
            {
              path: ["failover", model, index, "provider"],
              message: `${provider} is not a provider; there are: ${known.join(", ")}`,
            },
          ],
    ),
  );
}

/** The YAML parser's messages repeat the line, which may contain a key. */
function refuseBroken({ errors }: Document, path: string): void {
  if (errors.length === 0) return;
  const places = errors.slice(0, LIMITS.mistakes).map(({ linePos, code }) => {
    const at = linePos?.[0];
    return `${at === undefined ? "" : ` at line ${at.line}, column ${at.col}`} (${code})`;
  });
  throw new Failure("invalid_request", `${path} is not valid YAML${places.join(",")}`);
}

function valueOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new Failure("invalid_request", `${path} is not valid YAML: its aliases cannot be resolved`);
  }
}

type PlaceKeyFile = <Setting extends CredentialSetting>(setting: Setting) => Setting;

/** Resolves the paths of key files. */
function keyFilePlacer(path: string, environment: Environment): PlaceKeyFile {
  return (setting) => {
    const { credential_file: file } = setting;
    if (file === undefined) return setting;
    const { HOME } = environment;
    const below = file.startsWith("~/") && HOME !== undefined ? join(HOME, file.slice(2)) : file;
    return { ...setting, credential_file: resolve(dirname(path), below) };
  };
}

function placedFile({ file }: { readonly file?: string | undefined }, whole: PlaceKeyFile): { file?: string } {
  const { credential_file } = whole({ credential_file: file });
  return credential_file === undefined ? {} : { file: credential_file };
}

function textsInPlace(texts: McpVariables, whole: PlaceKeyFile): McpVariables {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, typeof value === "string" ? value : whole(value)]),
  );
}

function serversInPlace(servers: McpServerSettings, whole: PlaceKeyFile): McpServerSettings {
  const placed = (texts: McpVariables): McpVariables => textsInPlace(texts, whole);
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServerSetting] => {
      if ("command" in server)
        return [name, server.env === undefined ? server : { ...server, env: placed(server.env) }];
      const { headers, oauth } = server;
      const secret = typeof oauth === "object" ? oauth.client_secret : undefined;
      return [
        name,
        {
          ...server,
          ...(headers === undefined ? {} : { headers: placed(headers) }),
          ...(typeof oauth === "object" && secret !== undefined
            ? { oauth: { ...oauth, client_secret: whole(secret) } }
            : {}),
        },
      ];
    }),
  );
}

function inPlace(providers: ProviderSettings, whole: PlaceKeyFile): ProviderSettings {
  return Object.fromEntries(
    Object.entries(providers).map(([id, { credentials, login, ...setting }]) => [
      id,
      {
        ...whole(setting),
        ...(credentials === undefined
          ? {}
          : { credentials: credentials === "own_login" ? credentials : credentials.map(whole) }),
        ...(login === undefined ? {} : { login: { ...login, ...placedFile(login, whole) } }),
      },
    ]),
  );
}

/**
 * Changes only what is needed in the file: comments and order stay. An invalid result is not written. The new file is written
 * atomically, readable only by its owner.
 */
export async function editSettings(
  place: SettingsPlace,
  edit: (document: Document) => void,
  check: (settings: FileSettings) => void = () => undefined,
): Promise<FileSettings> {
  const path = await realpath(place.path).catch(() => place.path);
  const before = readTextFile(path);
  const document = parseDocument(before ?? "");
  refuseBroken(document, place.path);
  if (document.contents !== null && !isMap(document.contents))
    throw new Failure("invalid_request", `${place.path} must be a map of settings`);
  edit(document);
  const after = document.toString({ lineWidth: 0 });
  const settings = parseSettings(after, place);
  check(settings);
  if (Buffer.byteLength(after) > LIMITS.settingsBytes)
    throw new Failure("invalid_request", `${place.path} would be longer than ${LIMITS.settingsBytes} bytes`);
  if (readTextFile(path) !== before)
    throw new Failure("conflict", `${place.path} was changed by somebody else meanwhile: run the command again`);
  await replacePrivateFile(path, after);
  return settings;
}

/**
 * Sets fields in an entry of a top-level map (`providers`, `prices`), which is created if missing. Field by field, so that comments
 * in the entry stay; `without` are removed first.
 */
export function putEntry(
  document: Document,
  [key, name]: readonly [key: "providers" | "prices", name: string],
  { fields, without = [] }: { readonly fields: object; readonly without?: readonly string[] },
): void {
  if (document.get(key) === undefined || document.get(key) === null) document.set(key, document.createNode({}));
  const path = [key, name];
  if (!isMap(document.getIn(path))) {
    document.setIn(path, document.createNode(fields));
    return;
  }
  for (const field of without) document.deleteIn([...path, field]);
  for (const [field, value] of Object.entries(fields)) document.setIn([...path, field], document.createNode(value));
}

/** False: there was no such entry. */
export function takeEntry(
  document: Document,
  [key, name]: readonly [key: "providers" | "prices", name: string],
): boolean {
  if (!isMap(document.get(key))) return false;
  return document.deleteIn([key, name]);
}
