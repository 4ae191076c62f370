import { z } from "zod";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import type { Tool } from "../tool.ts";
import { noShell, reportShell } from "./report.ts";

const BashOutputInput = z.strictObject({
  bash_id: z.string().max(100).describe("The id that Bash gave when it started the command"),
  filter: z
    .string()
    .max(LIMITS.filterChars)
    .optional()
    .describe("Show only the lines that match this regular expression; the others cannot be read any more"),
});
type BashOutputInput = z.infer<typeof BashOutputInput>;

export const bashOutput: Tool<BashOutputInput> = {
  name: "BashOutput",
  description:
    "Shows the state of a background command and what it wrote since the last call. Every line is shown once.",
  tier: TOOL_FACTS.BashOutput.tier,
  // A look changes what the next one shows.
  input: BashOutputInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const shell = context.shells.find(input.bash_id);
    return shell === undefined ? noShell(input.bash_id) : reportShell(shell, input.filter);
  },
};
