import { z } from "zod";
import { TOOL_FACTS } from "../../protocol/index.ts";
import { shorten } from "../preview.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import type { Tool, ToolSession } from "../tool.ts";
import { carryOut, previewChange, lookAt, whyNotEdit, type Planned, type Subject } from "./change.ts";
import { countCharacters } from "./content.ts";
import { replaceText, type ReplacedText, type Replacement } from "./replace.ts";

const PREVIEW_CHARS = 200;

const EditInput = z.strictObject({
  file_path: z.string().describe("The file to change: absolute, or relative to the workspace"),
  old_string: z.string().describe("The exact text to replace; empty only to create a new file"),
  new_string: z.string().describe("The text to put there; must differ from old_string"),
  replace_all: z.boolean().default(false).describe("Replace every occurrence instead of exactly one"),
});
type EditInput = z.infer<typeof EditInput>;

interface PlannedEdit extends Planned {
  readonly occurrences: number;
}

export const edit: Tool<EditInput> = {
  name: "Edit",
  description:
    "Replaces exact text in a file. old_string must occur exactly once, or set replace_all. Leave out the line numbers that " +
    "Read shows. A file that changed since it was read must be read again first. An empty old_string creates a new file.",
  tier: TOOL_FACTS.Edit.tier,
  input: EditInput,
  paths: (input) => [{ path: input.file_path, access: "write" }],
  hosts: () => [],
  async preview(input, session) {
    return previewChange(session, input.file_path, {
      planned: await plan(input, session),
      details: ({ occurrences }) => ({
        old_string_preview: shorten(input.old_string, PREVIEW_CHARS),
        new_string_preview: shorten(input.new_string, PREVIEW_CHARS),
        replace_all: input.replace_all,
        occurrences,
        will_replace: occurrences,
      }),
    });
  },
  execute: (input, context) => carryOut(context, input.file_path, (session) => plan(input, session)),
};

async function plan(input: EditInput, session: ToolSession): Promise<PlannedEdit | ToolRefusal> {
  const subject = await lookAt(session, input.file_path);
  if (isRefusal(subject)) return subject;
  if (input.old_string === "" && input.new_string !== "") return planNewFile(input, subject);
  const problem = whyNotEdit(subject, session);
  if (problem !== undefined) return { refused: problem };
  const replaced = replaceText(subject.text.text, input);
  if ("problem" in replaced) return { refused: whyNotReplaced(replaced, subject.place.shown) };
  const done = `Replaced ${replaced.occurrences} occurrence(s) in ${subject.place.shown}`;
  return { ...subject, after: replaced.text, done, occurrences: replaced.occurrences };
}

function planNewFile(input: Replacement, subject: Subject): PlannedEdit | ToolRefusal {
  const { current, place } = subject;
  if (current !== undefined)
    return {
      refused: `File exists already: ${place.shown}. An empty old_string can only create a new file; use Write to replace it.`,
    };
  const done = `Wrote ${countCharacters(input.new_string)} characters to ${place.shown}`;
  return { ...subject, after: input.new_string, done, occurrences: 0 };
}

/** Why the text was not replaced, in words for the model. */
export function whyNotReplaced(replaced: Extract<ReplacedText, { problem: string }>, shown: string): string {
  switch (replaced.problem) {
    case "same":
      return "old_string and new_string are the same: there is nothing to change.";
    case "empty":
      return "old_string is empty. Give the text to replace.";
    case "missing":
      return `String not found in ${shown}. Read the file and give its text exactly, with the same spaces.`;
    case "ambiguous":
      return (
        `Found ${replaced.occurrences} matches of old_string in ${shown}, but replace_all is false. ` +
        "Give more of the text around the one you mean, or set replace_all to true."
      );
  }
}
