import { dirname, join } from "node:path";
import { z } from "zod";
import { parseFrontmatter } from "../../instructions/index.ts";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { decodeText, isBinary, openFile, readWhole } from "./content.ts";
import { resolveInside } from "./paths.ts";
import { genericPreview } from "../preview.ts";
import { isRefusal } from "../refusal.ts";
import { errorResult, textResult, type Tool } from "../tool.ts";

const FOLDER = ".claude/skills";

const SkillInput = z.strictObject({
  // Never a path: it is the name of a folder.
  skill: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,63}$/, "a skill's name has letters, digits, _ and -")
    .describe("The name of the skill, as listed"),
  args: z.string().max(LIMITS.promptChars).optional().describe("What the skill is to be used for"),
});
type SkillInput = z.infer<typeof SkillInput>;

export const skill: Tool<SkillInput> = {
  name: "Skill",
  description:
    "Reads how a kind of task is done in this workspace. Call it with the name of a listed skill before you do such a task, then do what it says with your other tools.",
  tier: TOOL_FACTS.Skill.tier,
  concurrent: true,
  input: SkillInput,
  paths: (input) => [{ path: fileOf(input), access: "read" }],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const place = await resolveInside(context, { path: fileOf(input), access: "read" });
    if (isRefusal(place)) return errorResult(place.refused);
    const file = await openFile(place);
    if (isRefusal(file)) return errorResult(`There is no skill ${input.skill}: ${file.refused}`);
    try {
      if (file.size > LIMITS.instructionFileBytes)
        return errorResult(
          `The skill ${input.skill} has ${file.size} bytes; at most ${LIMITS.instructionFileBytes} are read.`,
        );
      const bytes = await readWhole(file.handle, file.size);
      if (isBinary(bytes)) return errorResult(`The skill ${input.skill} is not text.`);
      const { body } = parseFrontmatter(decodeText(bytes).text);
      const task = input.args === undefined ? "" : `\n\nARGUMENTS: ${input.args}`;
      return textResult(`Base folder of this skill: ${dirname(place.shown)}\n\n${body}${task}`);
    } finally {
      await file.handle.close();
    }
  },
};

function fileOf({ skill: name }: SkillInput): string {
  return join(FOLDER, name, "SKILL.md");
}
