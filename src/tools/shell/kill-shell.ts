import { z } from "zod";
import { TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import type { Tool } from "../tool.ts";
import { noShell, stopShell } from "./report.ts";

const KillShellInput = z.strictObject({
  shell_id: z.string().max(100).describe("The id that Bash gave when it started the command"),
});
type KillShellInput = z.infer<typeof KillShellInput>;

export const killShell: Tool<KillShellInput> = {
  name: "KillShell",
  description: "Ends a background command and everything it started.",
  tier: TOOL_FACTS.KillShell.tier,
  input: KillShellInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const shell = context.shells.find(input.shell_id);
    return shell === undefined ? noShell(input.shell_id) : stopShell(shell);
  },
};
