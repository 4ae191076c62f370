import { z } from "zod";
import { genericPreview } from "../../tools/preview.ts";
import { errorResult, type AnyTool, type Tool } from "../../tools/tool.ts";
import { ownToolName } from "./tool-names.ts";

const OwnToolInput = z.strictObject({
  kind: z.string().describe("What the agent says that it does"),
  title: z.string().describe("The agent's own words for it"),
  input: z.record(z.string(), z.unknown()).describe("What the agent says that it does it with"),
});
type OwnToolInput = z.infer<typeof OwnToolInput>;

/**
 * Calls of an agent that no tool of ours stands for. A person is asked about each, and the agent runs it: in the session's sandbox, which
 * alone bounds what it can do.
 */
export function ownTool(agent: string, title: string): AnyTool {
  const tool: Tool<OwnToolInput> = {
    name: ownToolName(agent),
    description: `A tool of ${title} itself.`,
    tier: "execute",
    concurrent: false,
    alwaysAsks: true,
    input: OwnToolInput,
    paths: () => [],
    hosts: () => [],
    preview: async (input) => genericPreview(input),
    execute: async () => errorResult(`Only ${title} itself can run this, and its process has ended.`),
  };
  return tool;
}
