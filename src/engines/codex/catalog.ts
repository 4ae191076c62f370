import { LIMITS } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import type { VendorFields } from "../vendor/fields.ts";

const EFFORTS = ["low", "medium", "high"] as const;

/**
 * What Codex knows of models: the session's one, in place of its own list. Its list gives each model tools of Codex's own (patches, other
 * agents, a language for calls), which would not pass our questions. So the model is one that has none.
 */
export function catalogOf({ name, facts }: Pick<Host["model"], "name" | "facts">): VendorFields {
  const { contextTokens = LIMITS.contextTokens } = facts(name);
  const model = {
    slug: name,
    display_name: name,
    description: "",
    base_instructions: "",
    context_window: contextTokens,
    visibility: "list",
    supported_in_api: true,
    priority: 0,
    input_modalities: ["text", "image"],
    supports_parallel_tool_calls: true,
    // How hard it thinks is said with each turn.
    supported_reasoning_levels: EFFORTS.map((effort) => ({ effort, description: effort })),
    supports_reasoning_summary_parameter: true,
    default_reasoning_summary: "none",
    support_verbosity: false,
    truncation_policy: { mode: "tokens", limit: LIMITS.toolOutputChars },
    shell_type: "disabled",
    apply_patch_tool_type: null,
    experimental_supported_tools: [],
  };
  return { models: [model] };
}
