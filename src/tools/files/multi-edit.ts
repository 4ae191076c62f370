import { z } from "zod";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import type { Tool, ToolSession } from "../tool.ts";
import { carryOut, describeChange, lookAt, plannedChange, whyNotEdit, type Planned, type Subject } from "./change.ts";
import { unifiedDiff } from "./diff.ts";
import { whyNotReplaced } from "./edit.ts";
import { replaceText, type Replacement } from "./replace.ts";

const MultiEditInput = z.strictObject({
  file_path: z.string().describe("The file to change: absolute, or relative to the workspace"),
  edits: z
    .array(
      z.strictObject({
        old_string: z
          .string()
          .describe("The exact text to replace; empty only in the first edit, to create a new file"),
        new_string: z.string().describe("The text to put there; must differ from old_string"),
        replace_all: z.boolean().default(false).describe("Replace every occurrence instead of exactly one"),
      }),
    )
    .min(1)
    .max(LIMITS.editsPerCall)
    .describe("The changes, made one after the other; if one cannot be made, none is"),
});
type MultiEditInput = z.infer<typeof MultiEditInput>;

type EditStep =
  | { readonly file_path: string; readonly diff: readonly string[] }
  | { readonly file_path: string; readonly error: string };

interface EditOutcome {
  /** Up to and including the first that fails. */
  readonly steps: readonly EditStep[];
  readonly planned: Planned | ToolRefusal;
}

export const multiEdit: Tool<MultiEditInput> = {
  name: "MultiEdit",
  description:
    "Makes several Edit changes in one file, in the order given, each on the result of the one before. All are made or none.",
  tier: TOOL_FACTS.MultiEdit.tier,
  input: MultiEditInput,
  paths: (input) => [{ path: input.file_path, access: "write" }],
  hosts: () => [],
  async preview(input, session) {
    const { steps, planned } = await plan(input, session);
    const file = await describeChange(session, input.file_path, planned);
    const details = { edit_count: input.edits.length, edits: steps };
    return { preview: { type: "multi_diff", files: [file], details }, warnings: [], planned: plannedChange(planned) };
  },
  execute: (input, context) =>
    carryOut(context, input.file_path, async (session) => (await plan(input, session)).planned),
};

async function plan(input: MultiEditInput, session: ToolSession): Promise<EditOutcome> {
  const subject = await lookAt(session, input.file_path);
  if (isRefusal(subject)) return refuse([], input.file_path, subject.refused);
  const [first] = input.edits;
  const creates = first !== undefined && first.old_string === "" && subject.current === undefined;
  const problem = creates ? undefined : whyNotEdit(subject, session);
  if (problem !== undefined) return refuse([], subject.place.shown, problem);
  return planSteps(input.edits, subject);
}

function planSteps(edits: readonly Replacement[], subject: Subject): EditOutcome {
  const path = subject.place.shown;
  const steps: EditStep[] = [];
  let text = subject.text.text;
  let count = 0;
  for (const [index, change] of edits.entries()) {
    const before = text;
    if (index === 0 && subject.current === undefined && change.old_string === "") {
      text = change.new_string;
      count += 1;
    } else {
      const replaced = replaceText(text, change);
      if ("problem" in replaced)
        return refuse(
          steps,
          path,
          `Edit ${index + 1} of ${edits.length} cannot be made, so none was: ${whyNotReplaced(replaced, path)}`,
        );
      text = replaced.text;
      count += replaced.occurrences;
    }
    const diff = unifiedDiff({ path, before, after: text, of: edits.length }).text;
    steps.push({ file_path: path, diff: diff === "" ? [] : diff.split("\n") });
  }
  if (text === subject.text.text && subject.current !== undefined)
    return refuse(steps, path, "The edits cancel each other out: there is nothing to change.");
  const done = `Replaced ${count} occurrence(s) in ${path} with ${edits.length} edit(s)`;
  return { steps, planned: { ...subject, after: text, done } };
}

function refuse(steps: readonly EditStep[], file_path: string, reason: string): EditOutcome {
  return { steps: [...steps, { file_path, error: reason }], planned: { refused: reason } };
}
