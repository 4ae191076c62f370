import { z } from "zod";
import { HOME_TOOL } from "../../protocol/index.ts";
import { genericPreview } from "../../tools/preview.ts";
import { errorResult, type AnyTool, type Tool } from "../../tools/tool.ts";

const HomeToolInput = z.strictObject({
  tool: z.string().describe("The tool that runs at home"),
  input: z.unknown().describe("What it runs with"),
  preview: z.unknown().optional().describe("What the owner of the machine is shown"),
});
type HomeToolInput = z.infer<typeof HomeToolInput>;

/** Calls that run at home. Home decides which of them need an answer; then a person here is always asked. */
export const homeTool: AnyTool = {
  name: HOME_TOOL,
  description: "A tool of the machine at the other end of the tunnel.",
  tier: "execute",
  concurrent: false,
  alwaysAsks: true,
  input: HomeToolInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  execute: async () => errorResult("Only the machine at home can run this."),
} satisfies Tool<HomeToolInput>;
