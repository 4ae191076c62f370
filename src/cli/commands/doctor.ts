import type { Command } from "commander";
import { createClaudeCliEngine } from "../../engines/index.ts";
import { DEFAULT_POOL, defined } from "../../protocol/index.ts";
import { flagsOf, print, printJson, width, type CommandContext } from "../context.ts";
import { ok, type DoctorCheck } from "../doctor/checks.ts";
import { checkDatabase, checkFiles, checkHome, checkServer, checkTrust } from "../doctor/home.ts";
import {
  checkNode,
  checkOpenFiles,
  checkPrograms,
  checkBrowser,
  checkSandboxes,
  checkSupervisor,
  checkVendorPrograms,
} from "../doctor/programs.ts";
import { EXIT } from "../exit.ts";
import { OWN_OPEN_FILES } from "../open-files.ts";
import { claudeOptions, openEngines } from "../wiring/engines.ts";
import { poolOf } from "../settings/pool.ts";
import {
  readSettingsAsTheyAre,
  SETTINGS_FILE,
  type Environment,
  type Setting,
  type Settings,
} from "../settings/settings.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";

const HELP = `
Exit code 1 when something must be fixed.

Example:
  $ sallyport doctor`;

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command("doctor")
    .description("check what Sallyport needs here, and show the settings that apply")
    .option("--json", "as JSON")
    .addHelpText("after", HELP)
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { surroundings } = context;
      const settings = readSettingsAsTheyAre(
        { home: flagsOf(command).home },
        surroundings.environment,
        surroundings.cwd,
      );
      const checks = await examine(context, settings);
      const shown = settingsOf(settings);
      if (json === true) printJson(context, { checks, settings: shown });
      else report(context, checks, shown);
      context.end(checks.some((check) => check.state === "fail") ? EXIT.failed : EXIT.done);
    });
}

async function examine({ surroundings }: CommandContext, settings: Settings): Promise<readonly DoctorCheck[]> {
  const [programs, sandboxes, vendors, home, database, files, server, supervisor] = await Promise.all([
    checkPrograms(surroundings.environment),
    checkSandboxes(settings),
    checkVendorPrograms(settings, surroundings.environment),
    checkHome(settings.home.value),
    checkDatabase(settings.home.value),
    checkFiles(settings),
    checkServer(settings),
    checkSupervisor(settings),
  ]);
  // It starts servers, so it loads half of the product: only when it is needed.
  const { checkMcpServers } = await import("../doctor/mcp-servers.ts");
  const mcpServers = await checkMcpServers(settings, surroundings.environment);
  const claude = checkClaude(settings, surroundings.environment);
  return [
    checkNode(process.version),
    checkOpenFiles(OWN_OPEN_FILES),
    ...programs,
    ...sandboxes,
    checkBrowser(settings, surroundings.environment),
    claude,
    ...vendors,
    checkAgents(settings, surroundings.environment),
    checkModel(settings, surroundings.name),
    ...home,
    ...checkTrust(settings, surroundings.environment),
    ...database,
    ...files,
    ...server,
    ...supervisor,
    ...mcpServers,
  ];
}

/** Only those engines need it. */
function checkClaude(settings: Settings, environment: Environment): DoctorCheck {
  const missing = createClaudeCliEngine(claudeOptions(settings, environment)).missing?.();
  if (missing === undefined) return ok("claude", "found; the engines claude-sdk and claude-cli can be used");
  return ok("claude", `not found, so the engine loop does the work. ${missing}`);
}

/** None of them is needed. */
function checkAgents(settings: Settings, environment: Environment): DoctorCheck {
  const agents = [...openEngines(settings, environment).values()].filter(({ id }) => id.startsWith("acp:"));
  const found = agents.filter((engine) => engine.missing?.() === undefined).map(({ id }) => id);
  const lacking = agents.filter(({ id }) => !found.includes(id)).map(({ id }) => id);
  const words = found.length === 0 ? "none found" : `found: ${found.join(", ")}`;
  return ok("agents", lacking.length === 0 ? words : `${words}; not here: ${lacking.join(", ")}`);
}

/** The provider of a session that names none. No request is made. */
function checkModel({ apiKey, provider, apiUrl }: Settings, name: string): DoctorCheck {
  const isKeySet = apiKey.value !== undefined;
  if (provider.value === "sim") {
    if (provider.origin !== "default") return ok("model", "the demo model was chosen, and answers");
    return ok("model", "no ANTHROPIC_API_KEY, so the demo model answers; set it for a real one");
  }
  if (provider.value === "cloud" && isKeySet)
    return ok("model", `ANTHROPIC_API_KEY is set; calls go to ${apiUrl.value}`);
  return ok(
    "model",
    `calls go to the provider ${provider.value}; \`${name} provider test ${provider.value}\` says whether it answers`,
  );
}

function onOrOff(value: boolean | undefined): string {
  if (value === undefined) return "as the log level says";
  return value ? "on" : "off";
}

/** How many workers there may be, of all mounts together. */
function poolSetting(settings: Settings): Setting<string | undefined> {
  const pool = poolOf(settings);
  if (pool === undefined) return { value: undefined, origin: "default" };
  const { min_workers, max_workers } = { ...DEFAULT_POOL, ...defined(pool.config) };
  return { value: `${min_workers} to ${max_workers} workers`, origin: "file" };
}

interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
}

/** Every setting with its source. Secrets only as set or not. */
function settingsOf(settings: Settings): readonly ShownSetting[] {
  const plain = (name: string, { value, origin }: Setting<string | number | undefined>): ShownSetting => ({
    name,
    value: value === undefined ? "(none)" : String(value),
    origin: origin === "file" ? SETTINGS_FILE : origin,
  });
  const listed = (name: string, { value, origin }: Setting<readonly string[]>): ShownSetting =>
    plain(name, { value: value.length === 0 ? undefined : value.join(", "), origin });
  const secret = (name: string, { value, origin }: Setting<string | undefined>): ShownSetting =>
    plain(name, { value: value === undefined ? "(not set)" : "(set)", origin });
  return [
    plain("home", settings.home),
    plain("host", settings.host),
    plain("port", settings.port),
    plain("workspace", settings.workspace),
    listed("roots", settings.roots),
    plain("provider", settings.provider),
    plain("model", settings.model),
    listed("allowed_hosts", settings.allowedHosts),
    listed("allowed_origins", settings.allowedOrigins),
    plain("requests_per_minute", settings.requestsPerMinute),
    plain("drain_seconds", settings.drainSeconds),
    plain("idempotency_seconds", settings.idempotencySeconds),
    plain("client_sessions", settings.clientSessions),
    plain("challenge_seconds", settings.challengeSeconds),
    plain("access_log", { ...settings.accessLog, value: onOrOff(settings.accessLog.value) }),
    plain("sandbox", settings.sandbox),
    plain("pool", poolSetting(settings)),
    plain("start_ahead", { ...settings.startAhead, value: onOrOff(settings.startAhead.value) }),
    ...(settings.supervisor === undefined
      ? []
      : [plain("supervisor_seconds", { ...settings.supervisor, value: settings.supervisor.value.seconds })]),
    plain("proxy_port", settings.proxyPort),
    plain("claude", settings.claude),
    listed("programs", { ...settings.programs, value: Object.keys(settings.programs.value) }),
    plain("programs_folder", settings.programsFolder),
    plain("telemetry", { ...settings.telemetry, value: settings.telemetry.value?.url }),
    listed("providers", { ...settings.providers, value: Object.keys(settings.providers.value) }),
    listed("mcp_servers", {
      value: Object.keys(settings.mcpServers?.value ?? {}),
      origin: settings.mcpServers?.origin ?? "default",
    }),
    listed("prices", { ...settings.prices, value: Object.keys(settings.prices.value) }),
    plain("api_url", settings.apiUrl),
    secret("api_key", settings.apiKey),
    secret("token", settings.token),
  ];
}

function report(context: CommandContext, checks: readonly DoctorCheck[], settings: readonly ShownSetting[]): void {
  const { paint } = context.screen;
  const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
  for (const check of checks) {
    print(context, `${marks[check.state]} ${check.name.padEnd(10)} ${visible(check.found)}`);
    if (check.advice !== undefined) print(context, `     ${"".padEnd(10)} → ${visible(check.advice)}`);
  }
  print(context, "");
  const rows = settings.map(({ name, value, origin }) => [name, origin, value]);
  for (const line of table([["SETTING", "FROM", "VALUE"], ...rows], width(context))) print(context, line);
}
