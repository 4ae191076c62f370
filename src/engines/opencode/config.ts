import { join } from "node:path";
import { LIMITS, type ModelApi, type SessionSettings } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import { MODEL_ADDRESS, RELAY_ADDRESS } from "./relay-messages.ts";
import { TOOL_SERVER } from "./tools.ts";

/** The one provider that OpenCode knows. */
export const PROVIDER = "sallyport";
const DAY_MS = 86_400_000;
/** The most bytes of one UTF-16 character. */
const UTF8_BYTES = 3;
/** For a model of which nothing is known. */
const USUAL_WINDOW = 200_000;

/** OpenCode's own clients, all of them in its program: nothing is fetched. */
const CLIENTS: Readonly<Record<ModelApi, string>> = {
  messages: "@ai-sdk/anthropic",
  responses: "@ai-sdk/openai",
  chat: "@ai-sdk/openai-compatible",
};

/** None of OpenCode's own tools: the model is not even told of them. What it calls that there is not is answered with an error. */
const PERMISSION = {
  "*": "deny",
  invalid: "allow",
  // It would end a turn that makes the same call three times; `max_turns` bounds that here.
  doom_loop: "allow",
  [`${TOOL_SERVER}_*`]: "allow",
  // The answer in a requested form: a refusal is what ends OpenCode's turn with it. The last rule that fits counts.
  [`${TOOL_SERVER}_${STRUCTURED_OUTPUT}`]: "ask",
} as const;

/** OpenCode's only folder: its records and everything else that it writes. */
export function recordFolder(folder: string): string {
  return join(folder, "opencode");
}

/**
 * Where OpenCode works: its own folder of settings, which it looks into in any case. In any other it loads plugins from there and from
 * all folders above, whatever its switches say, so a workspace could bring code that nobody has approved.
 */
export function workFolder(folder: string): string {
  return join(recordFolder(folder), "config", "opencode");
}

/** What the model must know because of that. */
export function systemOf({ workspace, system_prompt = "" }: SessionSettings): string {
  const place = `The working directory of all your tools is ${workspace}, not the one that is named elsewhere. Name files by absolute paths, or relative to it, and stay inside it.`;
  return system_prompt.trim() === "" ? place : `${place}\n\n${system_prompt}`;
}

/** OpenCode's list of all vendors' models, here an empty one: it would be read for seconds, and none of them is asked. */
export function modelsFile(folder: string): string {
  return join(recordFolder(folder), "models.json");
}

/** The socket of the model proxy; undefined: it has an address. */
export function modelSocket({ baseUrl }: Host["model"]): string | undefined {
  return /^unix:(.*)$/.exec(baseUrl)?.[1];
}

/** OpenCode's configuration for one process: one provider, one model, our tools, and nothing that reaches out. */
export function configOf({ model }: Pick<Host, "model">, settings: SessionSettings): string {
  const { name, key, baseUrl } = model;
  const { api, contextTokens = USUAL_WINDOW, outputTokens = Infinity } = model.facts(name);
  const address = modelSocket(model) === undefined ? baseUrl.replace(/\/v1\/?$/, "") : MODEL_ADDRESS;
  const thinking = api === "messages" ? settings.thinking_tokens : undefined;
  return JSON.stringify({
    model: `${PROVIDER}/${name}`,
    // One model for everything: another one may have no price, or not be allowed.
    small_model: `${PROVIDER}/${name}`,
    enabled_providers: [PROVIDER],
    provider: {
      [PROVIDER]: {
        name: "Sallyport",
        npm: CLIENTS[api],
        // The proxy watches over its own streams.
        options: { baseURL: `${address}/v1`, apiKey: key, timeout: false, headerTimeout: false, chunkTimeout: false },
        models: {
          [name]: {
            name,
            tool_call: true,
            reasoning: true,
            attachment: true,
            modalities: { input: ["text", "image"], output: ["text"] },
            limit: {
              context: Math.min(contextTokens, settings.max_context_tokens ?? Infinity),
              output: Math.min(outputTokens, settings.max_tokens),
            },
            ...(thinking === undefined ? {} : { options: { thinking: { type: "enabled", budgetTokens: thinking } } }),
          },
        },
      },
    },
    mcp: { [TOOL_SERVER]: { type: "remote", url: `${RELAY_ADDRESS}/mcp`, oauth: false, timeout: DAY_MS } },
    permission: PERMISSION,
    // Our tools bound their output; what OpenCode cut off would lie where the model cannot read it.
    tool_output: { max_lines: LIMITS.toolOutputChars, max_bytes: LIMITS.toolOutputChars * UTF8_BYTES },
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    lsp: false,
    formatter: false,
  });
}

/** What OpenCode's environment has beside the sandbox's own. */
export function environmentOf(folder: string, settings: SessionSettings): Readonly<Record<string, string>> {
  const records = recordFolder(folder);
  return {
    HOME: records,
    // It needs no program: what the model runs is run by our tools. So it asks git nothing about a folder that nobody trusts yet.
    PATH: join(records, "no-programs"),
    TMPDIR: records,
    XDG_CONFIG_HOME: join(records, "config"),
    XDG_DATA_HOME: join(records, "data"),
    XDG_CACHE_HOME: join(records, "cache"),
    XDG_STATE_HOME: join(records, "state"),
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    OPENCODE_PERMISSION: JSON.stringify(PERMISSION),
    // Settings and plugins come from us alone.
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_PURE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_CLAUDE_CODE: "1",
    OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: modelsFile(folder),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_SHARE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_EMBEDDED_WEB_UI: "1",
    OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: "1",
    OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX: String(settings.max_tokens),
  };
}
