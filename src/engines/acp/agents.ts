import type { Capabilities } from "../engine.ts";
import { LIMITS, type ProviderWire } from "../../protocol/index.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { VendorProgramName } from "../vendor/programs.ts";

/** How an agent that speaks the Agent Client Protocol is started and used. */
export interface AgentProgram {
  /** `acp:<name>` is the engine. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** Found as `findProgram` finds it; then `command` is its arguments. Absent: `command` begins with the program. */
  readonly program?: VendorProgramName | undefined;
  /** Words, and values of variables, may hold `{base_url}` (without `/v1`), `{key}`, `{model}`, `{folder}` and `{workspace}`. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How it asks models at our proxy. Absent: it does not, so it is unmetered. */
  readonly wire?: ProviderWire | undefined;
  /** `sallyport`: it has our tools in place of its own, and runs none itself. `own`: its own tools, each asked about. */
  readonly tools: "sallyport" | "own";
  /** It is known to report its calls of our tools before they are answered. Absent: each conversation finds out. */
  readonly reportsCalls?: true | undefined;
  /** The method that it is authenticated with. Absent: it needs none. */
  readonly authenticate?: string | undefined;
  /** The mode that its sessions are put into, where it has it. Absent: its own default. */
  readonly mode?: string | undefined;
  /** What of this client it may use with tools of its own. Absent: both. */
  readonly client?: { readonly files?: boolean | undefined; readonly terminal?: boolean | undefined } | undefined;
  /**
   * Where it works, as a path in its own home. Absent: in the workspace. An agent with our tools needs no other place, and what a workspace
   * has for such programs (settings, hooks, plugins, tool servers) would run without anybody's approval.
   */
  readonly workFolder?: string | undefined;
  /** `_meta` of the requests that begin or load a session. Absent: none. */
  readonly sessionMeta?: VendorFields | undefined;
  /** Abilities that it lacks, although agents with such tools have them. Absent: none. */
  readonly lacks?: Partial<Capabilities> | undefined;
  /** Files in its own home folder, by their paths there. Absent: none. */
  readonly files?: Readonly<Record<string, VendorFields>> | undefined;
}

/** Where an agent with our tools works, unless it needs a certain place. */
export const OWN_WORK_FOLDER = "work";

/** The tools of Qwen Code; all are replaced by ours. */
const QWEN_TOOLS = [
  "edit",
  "write_file",
  "read_file",
  "grep_search",
  "glob",
  "run_shell_command",
  "todo_write",
  "save_memory",
  "agent",
  "skill",
  "exit_plan_mode",
  "web_fetch",
  "list_directory",
  "lsp",
  "ask_user_question",
  "cron_create",
  "cron_list",
  "cron_delete",
  "task_stop",
  "send_message",
  "monitor",
  "tool_search",
] as const;

/** The most bytes of one UTF-16 character. */
const UTF8_BYTES = 3;

const OPENCODE = {
  $schema: "https://opencode.ai/config.json",
  model: "sallyport/{model}",
  small_model: "sallyport/{model}",
  autoupdate: false,
  share: "disabled",
  snapshot: false,
  enabled_providers: ["sallyport"],
  provider: {
    sallyport: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: "{base_url}/v1", apiKey: "{key}" },
      models: {
        "{model}": {
          tool_call: true,
          attachment: true,
          reasoning: true,
          modalities: { input: ["text", "image"], output: ["text"] },
          limit: { context: 200_000, output: 32_000 },
        },
      },
    },
  },
  // Ours are the only tools, and they bound their own output.
  permission: { "*": "deny", "sallyport_*": "allow" },
  tool_output: { max_lines: LIMITS.toolOutputChars, max_bytes: LIMITS.toolOutputChars * UTF8_BYTES },
  lsp: false,
  formatter: false,
  agent: { title: { disable: true } },
} as const;

const CODEX_PROVIDER = "sallyport";

/** What Codex over ACP is started with: it takes no command-line arguments. */
const CODEX = {
  model: "{model}",
  model_provider: CODEX_PROVIDER,
  model_providers: {
    [CODEX_PROVIDER]: {
      name: CODEX_PROVIDER,
      base_url: "{base_url}/v1",
      wire_api: "responses",
      env_key: "SALLYPORT_KEY",
    },
  },
  features: { plugins: false, unbounded_connection_retries: false },
  analytics: { enabled: false },
  check_for_update_on_startup: false,
  web_search: "disabled",
} as const;

/** Agents that need no setting if their program is found. An agent of the same name in the settings replaces one. */
export const KNOWN_AGENTS: readonly AgentProgram[] = [
  {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    command: ["acp"],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(OPENCODE),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_CLAUDE_CODE: "1",
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
      OPENCODE_PURE: "1",
      OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: "1",
    },
    wire: "openai",
    tools: "sallyport",
    reportsCalls: true,
    // Its own folder of settings: in any other it loads plugins from there and from all folders above, whatever its switches say.
    workFolder: "config/opencode",
  },
  {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    command: ["--acp"],
    env: {
      OPENAI_BASE_URL: "{base_url}/v1",
      OPENAI_API_KEY: "{key}",
      OPENAI_MODEL: "{model}",
      QWEN_HOME: "{folder}/.qwen",
      QWEN_CODE_NO_RELAUNCH: "1",
    },
    wire: "openai",
    tools: "sallyport",
    reportsCalls: true,
    authenticate: "openai",
    workFolder: OWN_WORK_FOLDER,
    files: {
      ".qwen/settings.json": {
        $version: 3,
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        memory: { enableManagedAutoMemory: false },
        permissions: { allow: ["mcp__sallyport"], deny: QWEN_TOOLS },
        experimental: { emitToolUseSummaries: false },
        // Our tools bound their own output.
        tools: { truncateToolOutputThreshold: 0, truncateToolOutputLines: 0 },
        model: { generationConfig: { modalities: { image: true } } },
      },
    },
  },
  {
    name: "claude-agent-acp",
    title: "Claude Code by ACP",
    program: "claude-agent-acp",
    command: [],
    env: {
      ANTHROPIC_BASE_URL: "{base_url}",
      ANTHROPIC_AUTH_TOKEN: "{key}",
      ANTHROPIC_MODEL: "{model}",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "{model}",
      ANTHROPIC_DEFAULT_SONNET_MODEL: "{model}",
      ANTHROPIC_DEFAULT_OPUS_MODEL: "{model}",
      ANTHROPIC_SMALL_FAST_MODEL: "{model}",
      CLAUDE_CODE_SUBAGENT_MODEL: "{model}",
      CLAUDE_CONFIG_DIR: "{folder}/.claude",
      // The turn ends with the last failure that we accept. If the agent gave up by itself, it would report the failure as the model's words.
      CLAUDE_CODE_MAX_RETRIES: String(LIMITS.modelRetries + 1),
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
      CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: "1",
      CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
      // A person may take a day to answer, and our tools bound their own output.
      MCP_TOOL_TIMEOUT: "86400000",
      MAX_MCP_OUTPUT_TOKENS: "1000000",
      ENABLE_TOOL_SEARCH: "false",
    },
    wire: "anthropic",
    tools: "sallyport",
    reportsCalls: true,
    workFolder: OWN_WORK_FOLDER,
    // No tools of its own, and nothing of the workspace's settings: those could bring hooks, which nobody has approved.
    sessionMeta: {
      claudeCode: {
        options: {
          tools: [],
          allowedTools: ["mcp__sallyport"],
          settingSources: [],
          strictMcpConfig: true,
          model: "{model}",
        },
      },
    },
  },
  {
    name: "codex-acp",
    title: "Codex by ACP",
    program: "codex-acp",
    command: [],
    env: {
      // It must be there before Codex starts.
      CODEX_HOME: "{folder}",
      SALLYPORT_KEY: "{key}",
      MODEL_PROVIDER: CODEX_PROVIDER,
      CODEX_CONFIG: JSON.stringify(CODEX),
      // It asks about each command and each change.
      INITIAL_AGENT_MODE: "read-only",
    },
    wire: "openai",
    tools: "own",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    command: ["--acp"],
    // It asks models in a format of its own, which the model proxy does not speak.
    env: { GEMINI_CLI_HOME: "{folder}", GEMINI_TELEMETRY_ENABLED: "false", GEMINI_CLI_NO_RELAUNCH: "true" },
    tools: "own",
    authenticate: "gemini-api-key",
    files: {
      ".gemini/settings.json": {
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      },
    },
  },
  {
    name: "goose",
    title: "Goose",
    command: ["goose", "acp"],
    env: {
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "{model}",
      OPENAI_HOST: "{base_url}",
      OPENAI_API_KEY: "{key}",
      GOOSE_MODE: "approve",
      GOOSE_DISABLE_KEYRING: "1",
    },
    wire: "openai",
    tools: "own",
  },
];
