import { resolve } from "node:path";
import {
  Failure,
  LIMITS,
  ProviderSetting,
  SandboxChoice,
  WebOrigin,
  type EgressCredentials,
  type FailoverSettings,
  type McpServerSettings,
  type McpVariables,
  type MountSettings,
  type PoolSettings,
  type PriceSettings,
  type ProviderSettings,
  type RetentionSettings,
  type TunnelListener,
  type WebSearchSetting,
} from "../../protocol/index.ts";
import type { StartedConnection } from "../../connections/index.ts";
// Not through the folder's index: it would load an HTTP client for every command.
import { hasCloudCredential, providerIds } from "../../proxy/providers/resolve.ts";
import { watchFile } from "../../proxy/providers/watched-file.ts";
import { parseConnections } from "../wiring/connections.ts";
import { defaultHome } from "../home/default-home.ts";
import { bridgeSettingsOf, type BridgeSettings } from "./bridge.ts";
import type { ConsoleTlsFiles } from "../wiring/console-tls.ts";
import { documentedBounds, type DocumentedBounds } from "./documented-bounds.ts";
import { containerSettingsOf, type ContainerSettings } from "./container.ts";
import type { AgentSettings } from "./acp.ts";
import type { ProgramSettings } from "./programs.ts";
import { parseSettings, settingsPath, type FileSettings } from "./file.ts";
import { nonEmpty, numberOf, portOf, secondsOf, switchOf, type Environment } from "./values.ts";
import { readTextFile } from "./text-file.ts";
import { refuseUntrusted, trustedInHome } from "../home/trusted-files.ts";

export { SETTINGS_FILE } from "./file.ts";

const MIB = 1_048_576;

type Origin = "flag" | "environment" | "file" | "default";

/** A setting and its source, for `doctor`. */
export interface Setting<Value> {
  readonly value: Value;
  readonly origin: Origin;
}

export interface Settings extends DocumentedBounds {
  /** Absolute. */
  readonly home: Setting<string>;
  readonly host: Setting<string>;
  readonly port: Setting<number>;
  /** Absolute. */
  readonly workspace: Setting<string>;
  /** The id of an existing provider. */
  readonly provider: Setting<string>;
  readonly model: Setting<string | undefined>;
  readonly allowedHosts: Setting<readonly string[]>;
  /** Other sites whose pages may use any token. */
  readonly allowedOrigins: Setting<readonly string[]>;
  readonly roots: Setting<readonly string[]>;
  /** Hosts that notifications may go to though they are on the local network, or without TLS. */
  readonly notificationHosts: Setting<readonly string[]>;
  readonly requestsPerMinute: Setting<number>;
  /** A log line for each request; undefined: if the log level is `info` or `debug`. */
  readonly accessLog: Setting<boolean | undefined>;
  /** How long running commands have to end when the server stops. */
  readonly drainSeconds: Setting<number>;
  /** Fixes the first admin token. */
  readonly token: Setting<string | undefined>;
  readonly apiKey: Setting<string | undefined>;
  readonly apiUrl: Setting<string>;
  /** As of the start; `watchSettings` has the newest. */
  readonly providers: Setting<ProviderSettings>;
  readonly prices: Setting<PriceSettings>;
  /** TCP port of the model proxy; 0: any free one. */
  readonly proxyPort: Setting<number>;
  /** The Claude Code program; undefined: it is looked for. */
  readonly claude: Setting<string | undefined>;
  /** Other vendors' programs by their names; one that is not here is looked for. */
  readonly programs: Setting<ProgramSettings>;
  /** Chromium for the browser tools: `auto`, `off`, or its path. */
  readonly browser: Setting<string>;
  /** Whom WebSearch asks; absent: there is no WebSearch. */
  readonly webSearch?: Setting<WebSearchSetting>;
  /** Whether sessions have SearchCode. */
  readonly searchCode: Setting<boolean>;
  /** Where people reach consoles of machines behind tunnels. Absent: nowhere. */
  readonly consoleRelay?: Setting<TunnelListener>;
  /** The certificate of the console for people who come through tunnels. Absent: one of its own. */
  readonly consoleTls?: Setting<ConsoleTlsFiles>;
  /** Whether the files of sessions are recorded turn by turn. */
  readonly recordFiles: Setting<boolean>;
  /** Agents that speak the Agent Client Protocol; those that are known need no entry. */
  readonly acpAgents: Setting<AgentSettings>;
  /** Where `sallyport engine install` puts programs; absolute. */
  readonly programsFolder: Setting<string>;
  /** Whether an engine's program is started ahead of time for the next session. */
  readonly startAhead: Setting<boolean>;
  /** How long vendors' programs outlive the server; absent: they do not. */
  readonly supervisor?: Setting<{ readonly seconds: number }>;
  /** Where sessions run that name no sandbox, and whose profile does not. */
  readonly sandbox: Setting<SandboxChoice>;
  /** Headers that the egress proxy adds; absent: none. */
  readonly egressCredentials?: Setting<EgressCredentials>;
  /** MCP servers by name; absent: none. */
  readonly mcpServers?: Setting<McpServerSettings>;
  /** For `.mcp.json` files of repositories. */
  readonly mcpVariables?: Setting<McpVariables>;
  /** Absent: nothing is set. */
  readonly container?: ContainerSettings;
  /** Prepared workers; absent: as the mounts say, or none. */
  readonly pool?: Setting<PoolSettings>;
  /** Memory of an engine's process; absent: LIMITS.engineMemoryBytes. */
  readonly engineMemoryBytes?: Setting<number>;
  /** Memory of a command that a session runs; absent: LIMITS.commandMemoryBytes. */
  readonly commandMemoryBytes?: Setting<number>;
  /** Processors' worth of time of one sandbox; absent: not bounded. */
  readonly sandboxCpus?: Setting<number>;
  /** Undefined: no traces are sent. */
  readonly telemetry: Setting<TelemetrySettings | undefined>;
  /** Document 000's socket; absent: the defaults. */
  readonly runtime?: Setting<RuntimeSettings>;
  /** Document 002's socket; absent: the defaults. */
  readonly bridge?: Setting<BridgeSettings>;
  /** Document 003's files; absent: the defaults. */
  readonly mounts?: Setting<MountSettings>;
  /** Which sessions are deleted automatically; absent: none. */
  readonly retention?: Setting<RetentionSettings>;
  /** An operator's tool files; absent: none. */
  readonly toolModules?: Setting<readonly string[]>;
  /** A file whose instructions all sessions get; absolute. Absent: none. */
  readonly userInstructions?: Setting<string>;
  /** Databases given on the command line; absent: none. May contain passwords. */
  readonly connections?: Setting<readonly StartedConnection[]>;
}

interface RuntimeSettings {
  /** How long a page has for one call of a tool, ms. */
  readonly toolMs?: number | undefined;
  /** Of new conversations. */
  readonly engine?: string | undefined;
  readonly profile?: string | undefined;
  /** Whether parts of the workspace's files are put beside messages that they fit. Absent: yes. */
  readonly repositoryContext?: boolean | undefined;
}

interface TelemetrySettings {
  /** The full address for traces. */
  readonly url: string;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Flags {
  readonly home?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly workspace?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly allowedHost?: readonly string[] | undefined;
  readonly allowedOrigin?: readonly string[] | undefined;
  readonly connection?: readonly string[] | undefined;
  readonly drainSeconds?: number | undefined;
  readonly accessLog?: boolean | undefined;
  readonly sandbox?: string | undefined;
}

export type { Environment } from "./values.ts";

/** Flags, then the environment, then `sallyport.yaml` in the home folder, then the defaults. Refused if others could have written them. */
export function readSettings(flags: Flags, environment: Environment, cwd: string): Settings {
  refuseUntrusted(trustedInHome(homeOf(flags, environment, cwd).value), environment);
  return readSettingsAsTheyAre(flags, environment, cwd);
}

function homeOf(flags: Flags, environment: Environment, cwd: string): Setting<string> {
  const home = pick<string>([flags.home, environment["SALLYPORT_HOME"], undefined], defaultHome(environment, cwd));
  return { ...home, value: resolve(cwd, home.value) };
}

/** The same without checking who could have written them: for `doctor`, which reports that itself. */
export function readSettingsAsTheyAre(flags: Flags, environment: Environment, cwd: string): Settings {
  const path = settingsPath(homeOf(flags, environment, cwd).value);
  return settingsOf(flags, { environment, cwd, file: parseSettings(readTextFile(path), { path, environment }) });
}

interface SettingsSources {
  readonly environment: Environment;
  readonly cwd: string;
  readonly file: FileSettings;
}

/** The same with settings in the place of the file's. */
export function settingsOf(flags: Flags, { environment, cwd, file }: SettingsSources): Settings {
  const home = homeOf(flags, environment, cwd);
  const homePath = home.value;
  const workspace = pick<string>([flags.workspace, environment["SALLYPORT_WORKSPACE"], file.workspace], cwd);
  const workspacePath = resolve(cwd, workspace.value);
  const hosts = environment["SALLYPORT_ALLOWED_HOSTS"]?.split(",").filter((host) => host !== "");
  return {
    home,
    host: pick<string>([flags.host, environment["SALLYPORT_HOST"], file.host], "127.0.0.1"),
    port: pick<number>([flags.port, portOf("SALLYPORT_PORT", environment), file.port], 5353),
    workspace: { ...workspace, value: workspacePath },
    provider: defaultProvider(flags, environment, file),
    model: pick<string | undefined>([flags.model, environment["SALLYPORT_MODEL"], file.model], undefined),
    allowedHosts: pick<readonly string[]>([flags.allowedHost, hosts, file.allowed_hosts], []),
    allowedOrigins: originsOf(flags, environment, file),
    roots: pick<readonly string[]>([undefined, undefined, file.roots], [workspacePath]),
    notificationHosts: pick<readonly string[]>([undefined, undefined, file.notification_hosts], []),
    requestsPerMinute: pick<number>(
      [undefined, numberOf(environment["SALLYPORT_REQUESTS_PER_MINUTE"]), file.requests_per_minute],
      LIMITS.requestsPerMinutePerToken,
    ),
    accessLog: pick<boolean | undefined>(
      [flags.accessLog, switchOf("SALLYPORT_ACCESS_LOG", environment), file.access_log],
      undefined,
    ),
    drainSeconds: pick<number>(
      [flags.drainSeconds, secondsOf("SALLYPORT_DRAIN_SECONDS", environment), file.drain_seconds],
      LIMITS.drainSeconds,
    ),
    ...documentedBounds(environment, file),
    token: pick<string | undefined>([undefined, environment["SALLYPORT_TOKEN"], undefined], undefined),
    apiKey: pick<string | undefined>([undefined, environment["ANTHROPIC_API_KEY"], undefined], undefined),
    apiUrl: apiUrlOf(environment),
    providers: pick<ProviderSettings>([undefined, undefined, file.providers], {}),
    prices: pick<PriceSettings>([undefined, undefined, file.prices], {}),
    proxyPort: pick<number>([undefined, portOf("SALLYPORT_PROXY_PORT", environment), file.proxy?.port], 0),
    claude: pick<string | undefined>([undefined, environment["SALLYPORT_CLAUDE"], file.claude], undefined),
    programs: pick<ProgramSettings>([undefined, undefined, file.programs], {}),
    ...agentsAndTools(environment, file),
    programsFolder: programsFolderOf(environment, file, homePath),
    startAhead: pick<boolean>([undefined, switchOf("SALLYPORT_START_AHEAD", environment), file.start_ahead], true),
    ...supervisorOf(environment, file),
    sandbox: sandboxOf(flags, environment, file),
    ...fromFile("egressCredentials", file.egress_credentials),
    ...mcpFromFile(file),
    ...containerSettingsOf(environment, file.container),
    ...fromFile("pool", file.pool),
    ...memoryOf("engineMemoryBytes", environment, file.engine_memory_mib),
    ...memoryOf("commandMemoryBytes", environment, file.command_memory_mib),
    ...cpusOf(environment, file),
    telemetry: telemetryOf(environment, file),
    ...runtimeOf(environment, file),
    ...bridgeSettingsOf(environment, file.bridge),
    ...fromFile("retention", file.retention),
    ...connectionsOf(flags, environment, cwd),
    ...fromFile("toolModules", file.tool_modules),
    ...userInstructionsOf(file, homePath),
    ...fromFile("mounts", file.mounts),
  };
}

function agentsAndTools(
  environment: Environment,
  file: FileSettings,
): Pick<
  Settings,
  "acpAgents" | "browser" | "webSearch" | "searchCode" | "recordFiles" | "consoleRelay" | "consoleTls"
> {
  return {
    ...fromFile("consoleRelay", file.console_relay),
    ...fromFile("consoleTls", file.console_tls),
    acpAgents: pick<AgentSettings>([undefined, undefined, file.acp_agents], {}),
    browser: pick<string>([undefined, nonEmpty(environment["SALLYPORT_BROWSER"]), file.browser], "auto"),
    ...fromFile("webSearch", file.web_search),
    searchCode: pick<boolean>([undefined, switchOf("SALLYPORT_SEARCH_CODE", environment), file.search_code], true),
    recordFiles: pick<boolean>([undefined, switchOf("SALLYPORT_RECORD_FILES", environment), file.record_files], true),
  };
}

/** A setting that only the file has. Absent there: absent. */
function mcpFromFile({ mcp_servers, mcp_variables }: FileSettings): Pick<Settings, "mcpServers" | "mcpVariables"> {
  return { ...fromFile("mcpServers", mcp_servers), ...fromFile("mcpVariables", mcp_variables) };
}

function fromFile<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Setting<Value> } {
  return value === undefined ? {} : ({ [name]: { value, origin: "file" } } as { [Key in Name]: Setting<Value> });
}

function userInstructionsOf(
  { user_instructions: path }: FileSettings,
  home: string,
): Pick<Settings, "userInstructions"> {
  return path === undefined ? {} : { userInstructions: { value: resolve(home, path), origin: "file" } };
}

function programsFolderOf(environment: Environment, file: FileSettings, home: string): Setting<string> {
  const named = nonEmpty(environment["SALLYPORT_PROGRAMS_FOLDER"]);
  const folder = pick<string>([undefined, named, file.programs_folder], "programs");
  return { ...folder, value: resolve(home, folder.value) };
}

const MEMORY_VARIABLES = {
  engineMemoryBytes: "SALLYPORT_ENGINE_MEMORY_MIB",
  commandMemoryBytes: "SALLYPORT_COMMAND_MEMORY_MIB",
} as const;

function memoryOf(
  name: keyof typeof MEMORY_VARIABLES,
  environment: Environment,
  ofFile: number | undefined,
): Pick<Settings, typeof name> {
  const given = numberOf(environment[MEMORY_VARIABLES[name]]);
  if (given !== undefined && given < LIMITS.engineMemoryLeastMib)
    throw new Failure("invalid_request", `${MEMORY_VARIABLES[name]} must be at least ${LIMITS.engineMemoryLeastMib}`);
  const mib = given ?? ofFile;
  if (mib === undefined) return {};
  return { [name]: { value: mib * MIB, origin: given === undefined ? "file" : "environment" } };
}

function cpusOf(environment: Environment, { sandbox_cpus }: FileSettings): Pick<Settings, "sandboxCpus"> {
  const variable = "SALLYPORT_SANDBOX_CPUS";
  const text = nonEmpty(environment[variable]);
  const { sandboxCpusLeast, sandboxCpusMost } = LIMITS;
  if (text !== undefined && !(Number(text) >= sandboxCpusLeast && Number(text) <= sandboxCpusMost))
    throw new Failure("invalid_request", `${variable} must be a number from ${sandboxCpusLeast} to ${sandboxCpusMost}`);
  if (text !== undefined) return { sandboxCpus: { value: Number(text), origin: "environment" } };
  return sandbox_cpus === undefined ? {} : { sandboxCpus: { value: sandbox_cpus, origin: "file" } };
}

function supervisorOf(environment: Environment, file: FileSettings): Pick<Settings, "supervisor"> {
  const wanted = [undefined, switchOf("SALLYPORT_SUPERVISOR", environment), file.supervisor] as const;
  const { value, origin } = pick<boolean>(wanted, false);
  if (!value) return {};
  return { supervisor: { value: { seconds: file.supervisor_seconds ?? LIMITS.supervisorSeconds }, origin } };
}

function sandboxOf(flags: Flags, environment: Environment, file: FileSettings): Setting<SandboxChoice> {
  const variable = "SALLYPORT_SANDBOX";
  const given = nonEmpty(flags.sandbox) ?? nonEmpty(environment[variable]);
  const parsed = SandboxChoice.safeParse(given ?? "auto");
  if (!parsed.success)
    throw new Failure(
      "invalid_request",
      `there is no sandbox ${given ?? ""} (${flags.sandbox === undefined ? variable : "--sandbox"}); there are: ${SandboxChoice.options.join(", ")}`,
    );
  const named = given === undefined ? undefined : parsed.data;
  const [flag, variableValue] = flags.sandbox === undefined ? [undefined, named] : [named, undefined];
  return pick<SandboxChoice>([flag, variableValue, file.sandbox], "auto");
}

function originsOf(flags: Flags, environment: Environment, file: FileSettings): Setting<readonly string[]> {
  const listed = environment["SALLYPORT_ALLOWED_ORIGINS"]?.split(",").filter((origin) => origin !== "");
  const setting = pick<readonly string[]>([flags.allowedOrigin, listed, file.allowed_origins], []);
  for (const origin of setting.value) {
    const fault = WebOrigin.safeParse(origin).error?.issues[0]?.message;
    if (fault !== undefined) throw new Failure("invalid_request", `the allowed origin ${origin} ${fault}`);
  }
  return setting;
}

function connectionsOf(flags: Flags, environment: Environment, cwd: string): Pick<Settings, "connections"> {
  const named = environment["SALLYPORT_CONNECTIONS"]?.split(",").filter((text) => text !== "");
  const { value, origin } = pick<readonly string[]>([flags.connection, named, undefined], []);
  return value.length === 0 ? {} : { connections: { value: parseConnections(value, { environment, cwd }), origin } };
}

/** An empty variable counts as not set. */
function runtimeOf(environment: Environment, { runtime }: FileSettings): Pick<Settings, "runtime"> {
  const variable = "SALLYPORT_RUNTIME_TOOL_MS";
  const text = nonEmpty(environment[variable]);
  const given = text === undefined ? undefined : Number(text);
  if (given !== undefined && !(Number.isInteger(given) && given >= 1 && given <= LIMITS.pageToolMaxMs))
    throw new Failure("invalid_request", `${variable} must be a whole number from 1 to ${LIMITS.pageToolMaxMs} (ms)`);
  const engine = nonEmpty(environment["SALLYPORT_RUNTIME_ENGINE"]);
  const profile = nonEmpty(environment["SALLYPORT_RUNTIME_PROFILE"]);
  const repositoryContext = switchOf("SALLYPORT_RUNTIME_REPOSITORY_CONTEXT", environment);
  const fromEnvironment = [given, engine, profile, repositoryContext].some((value) => value !== undefined);
  if (!fromEnvironment && runtime === undefined) return {};
  const value = {
    toolMs: given ?? runtime?.tool_timeout_ms,
    engine: engine ?? runtime?.engine,
    profile: profile ?? runtime?.profile,
    repositoryContext: repositoryContext ?? runtime?.repository_context,
  };
  return { runtime: { value, origin: fromEnvironment ? "environment" : "file" } };
}

/** Settings that can change without a restart: the file is read again when it changes. */
export interface NewestSettings {
  readonly providers: () => ProviderSettings;
  readonly prices: () => PriceSettings;
  readonly failover: () => FailoverSettings;
}

/** If the file becomes invalid, that is logged once, and the last valid one applies. */
export function watchSettings(options: {
  readonly home: string;
  readonly environment: Environment;
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}): NewestSettings {
  const { environment, now, log } = options;
  const path = settingsPath(options.home);
  const newest = watchFile({
    path,
    // The same file always gives the same objects.
    parse: (text) => {
      refuseUntrusted([{ path, rule: "unchanged" }], environment);
      const { providers = {}, prices = {}, failover = {} } = parseSettings(text, { path, environment });
      return { providers, prices, failover };
    },
    now,
    log,
  });
  return {
    providers: () => newest().providers,
    prices: () => newest().prices,
    failover: () => newest().failover,
  };
}

function defaultProvider(flags: Flags, environment: Environment, file: FileSettings): Setting<string> {
  const providers = file.providers ?? {};
  const chosen = pick<string>(
    [flags.provider, environment["SALLYPORT_PROVIDER"], file.provider],
    hasCloudCredential(providers, environment) ? "cloud" : "sim",
  );
  const known = providerIds(providers);
  if (known.includes(chosen.value)) return chosen;
  const advice = chosen.value === "local" ? "; add it with `sallyport provider add local`" : "";
  throw new Failure("invalid_request", `there is no provider ${chosen.value}; there are: ${known.join(", ")}${advice}`);
}

function apiUrlOf(environment: Environment): Setting<string> {
  const url = pick<string>([undefined, environment["ANTHROPIC_BASE_URL"], undefined], "https://api.anthropic.com");
  const problem = ProviderSetting.safeParse({ base_url: url.value }).error?.issues[0];
  if (problem !== undefined) throw new Failure("invalid_request", `ANTHROPIC_BASE_URL ${problem.message}`);
  return url;
}

function telemetryOf(environment: Environment, file: FileSettings): Setting<TelemetrySettings | undefined> {
  const base = pick<string | undefined>(
    [undefined, environment["OTEL_EXPORTER_OTLP_ENDPOINT"], file.telemetry?.endpoint],
    undefined,
  );
  const whole = pick<string | undefined>(
    [undefined, environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], undefined],
    base.value === undefined ? undefined : `${base.value.replace(/\/+$/, "")}/v1/traces`,
  );
  if (whole.value === undefined) return { value: undefined, origin: "default" };
  if (!/^https?:\/\//.test(whole.value) || !URL.canParse(whole.value))
    throw new Failure("invalid_request", "the address for traces must begin with http:// or https://");
  const variable = file.telemetry?.headers_env ?? "OTEL_EXPORTER_OTLP_HEADERS";
  const headers = headersOf(environment[variable], variable);
  return { value: { url: whole.value, headers }, origin: whole.origin === "default" ? base.origin : whole.origin };
}

/** `name=value` with commas; values may be percent-encoded. */
function headersOf(text: string | undefined, variable: string): Readonly<Record<string, string>> {
  const pairs = (text ?? "").split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=(.*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw new Failure("invalid_request", `${variable} must be name=value, with commas between several`);
      return [name.toLowerCase(), decoded(value.trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function pick<Value>(
  candidates: readonly [Value | undefined, Value | undefined, Value | undefined],
  fallback: Value,
): Setting<Value> {
  const origins = ["flag", "environment", "file"] as const;
  for (const [index, origin] of origins.entries()) {
    const value = candidates[index];
    if (value !== undefined && value !== "") return { value, origin };
  }
  return { value: fallback, origin: "default" };
}
