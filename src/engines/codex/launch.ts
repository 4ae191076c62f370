import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { holdFolderOf } from "../../tools/index.ts";
import type { Host } from "../engine.ts";
import { text, type VendorFields } from "../vendor/fields.ts";
import type { OutputAllowance } from "../vendor/output.ts";
import { catalogOf } from "./catalog.ts";
import { CodexConnection, type CodexListener } from "./connection.ts";
import { codexHome, temporaryFolder } from "./folders.ts";
import { LEAST_CODEX } from "./program.ts";

/** The name under which Codex knows the model proxy. */
export const PROVIDER = "sallyport";
/** The variable with the session's key. */
const KEY = "SALLYPORT_MODEL_KEY";
const CATALOG = "models.json";

/**
 * What Codex can do besides asking the model, and may not: its own tools, other agents, what it learns from the user's folders, and all
 * that asks its vendor's servers. A refused connection is a failure of the turn, not a reason to wait forever.
 */
const OFF = [
  "api_key_model_discovery",
  "apps",
  "browser_use",
  "code_mode_host",
  "computer_use",
  "daemon_auto_start",
  "enable_request_compression",
  "fast_mode",
  "goals",
  "guardian_approval",
  "hooks",
  "image_generation",
  "in_app_browser",
  "memories",
  "multi_agent",
  "plugin_discovery_prefetch",
  "plugin_sharing",
  "plugins",
  "remote_plugin",
  "shell_snapshot",
  "shell_tool",
  "skill_mcp_dependency_install",
  "skill_search",
  "sleep_tool",
  "tool_suggest",
  "ultrafast_mode",
  "unbounded_connection_retries",
  "unified_exec",
  "view_image",
  "workspace_dependencies",
] as const;

/** The rest of its settings. The model reads our own instructions, and nothing that Codex adds to them. */
const SETTINGS = {
  "analytics.enabled": false,
  check_for_update_on_startup: false,
  "history.persistence": "none",
  include_apps_instructions: false,
  include_collaboration_mode_instructions: false,
  include_environment_context: false,
  include_permissions_instructions: false,
  model_provider: PROVIDER,
  project_doc_max_bytes: 0,
  "skills.bundled.enabled": false,
  "skills.include_instructions": false,
  "tools.experimental_request_user_input.enabled": false,
  // Our own tools bound what they give.
  tool_output_token_limit: LIMITS.toolOutputChars,
  web_search: "disabled",
} as const;

export interface CodexLaunch {
  readonly executable: string;
  readonly host: Host;
  /** For its output; shared by all processes of the engine. */
  readonly allowance: OutputAllowance;
  readonly listener: CodexListener;
}

/** A process that is ready to begin or to continue a thread. */
export interface LaunchedCodex {
  readonly connection: CodexConnection;
  /** Deleted with the process. */
  readonly temporary: string;
}

/** Starts `codex app-server`. Rejects when it does not get ready. */
export async function launchCodex({ executable, host, allowance, listener }: CodexLaunch): Promise<LaunchedCodex> {
  const home = codexHome(host.folder);
  const temporary = temporaryFolder(host.folder, randomUUID());
  for (const folder of [home, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await writeCatalog(host, join(temporary, CATALOG));
  const process = await host.sandbox.open({
    argv: argumentsOf(executable, host, temporary),
    // Neither the workspace nor a folder above it: nothing there may change how Codex works.
    cwd: home,
    ports: true,
    env: { CODEX_HOME: home, HOME: home, [KEY]: host.model.key, RUST_LOG: "error" },
  });
  const connection = new CodexConnection(process, { allowance, listener });
  try {
    await ready(connection, host);
  } catch (error) {
    await connection.kill();
    throw error;
  }
  return { connection, temporary };
}

async function ready(connection: CodexConnection, host: Host): Promise<void> {
  const over = new AbortController();
  const late = host.sleep(LIMITS.engineStartMs, over.signal).then(() => undefined);
  const greeting = connection.request("initialize", {
    clientInfo: { name: "sallyport", title: "Sallyport", version: "1" },
    capabilities: { experimentalApi: true },
  });
  const answer = await Promise.race([greeting, late]).finally(() => over.abort("over"));
  if (answer === undefined) {
    greeting.catch(() => undefined);
    throw new Failure("engine_failed", "Codex was started, but did not get ready. Send the prompt again.");
  }
  refuseOld(answer);
  connection.notify("initialized");
}

/** It tells its version after our own name. */
function refuseOld(greeting: VendorFields): void {
  const version = /^[^/]+\/(\d+\.\d+\.\d+)/.exec(text(greeting["userAgent"]) ?? "")?.[1] ?? "0.0.0";
  if (version.localeCompare(LEAST_CODEX, "en", { numeric: true }) >= 0) return;
  throw new Failure(
    "unsupported",
    `Codex ${LEAST_CODEX} or newer is needed, and this is ${version}. Run: sallyport engine install codex`,
  );
}

/** Nothing secret and nothing long: others can read it. */
function argumentsOf(executable: string, host: Host, temporary: string): readonly [string, ...string[]] {
  const { httpUrl, baseUrl } = host.model;
  const provider = {
    name: PROVIDER,
    base_url: `${(httpUrl ?? baseUrl).replace(/\/(?:v1\/?)?$/, "")}/v1`,
    wire_api: "responses",
    env_key: KEY,
    // Each failed request comes back to us: we decide, tell and wait.
    request_max_retries: 0,
    stream_max_retries: 0,
    stream_idle_timeout_ms: LIMITS.modelIdleMs,
  };
  const settings = {
    ...SETTINGS,
    ...Object.fromEntries(
      Object.entries(provider).map(([name, value]) => [`model_providers.${PROVIDER}.${name}`, value]),
    ),
    model_catalog_json: join(temporary, CATALOG),
    sqlite_home: temporary,
  };
  return [
    executable,
    "app-server",
    ...OFF.flatMap((feature) => ["--disable", feature]),
    // A JSON text is a TOML one.
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`]),
  ];
}

/** Through a held folder: whoever is inside could put a link in its place. */
async function writeCatalog(host: Host, path: string): Promise<void> {
  const folder = await holdFolderOf(path);
  if (folder === undefined) throw new Failure("engine_failed", "Codex's folder was moved while it was started.");
  try {
    await writeFile(folder.path(CATALOG), JSON.stringify(catalogOf(host.model)), { flag: "wx", mode: 0o600 });
  } finally {
    await folder.close();
  }
}
