import { analyseCommand } from "../../gate/index.ts";
import { toolFacts, type Approval, type FileDiff } from "../../protocol/index.ts";
import { unifiedDiff } from "../../tools/files/diff.ts";
import { replaceText, type Replacement } from "../../tools/files/replace.ts";
import type { PreviewText } from "../show/preview.ts";

type EditedInput = Readonly<Record<string, unknown>>;

/** The one text of a call that a person most likely wants to change; everything else is edited as JSON. */
export interface EditableText {
  readonly field: string;
  readonly text: string;
  /** Tells the editor what kind of text it is. */
  readonly name: string;
}

export function editableText(tool: string, input: EditedInput): EditableText | undefined {
  const facts = toolFacts(tool);
  const field = facts?.list === undefined ? facts?.fields?.findLast(({ editable }) => editable)?.name : undefined;
  const text = field === undefined ? undefined : input[field];
  if (field === undefined || typeof text !== "string") return undefined;
  const path = input["file_path"];
  const name =
    field === "command" ? "command.sh" : typeof path === "string" ? (path.split(/[\\/]/).at(-1) ?? "text") : "text";
  return { field, text, name };
}

/** What an edited input would do, derived from what the approval shows; the server rules on it again in any case. */
export function previewEdited(approval: Approval, input: EditedInput): PreviewText {
  const { preview } = approval;
  switch (preview.type) {
    case "command": {
      const command = textOf(input, "command");
      const analysis = analyseCommand(command, { cwd: preview.cwd, workspace: preview.cwd });
      const { parse_error: _before, ...rest } = preview;
      return {
        preview: {
          ...rest,
          command,
          parts: [...analysis.parts],
          ...(analysis.parseError === undefined ? {} : { parse_error: analysis.parseError }),
        },
        warnings: [...analysis.warnings],
      };
    }
    case "diff":
    case "multi_diff": {
      const file = preview.type === "diff" ? preview.file : preview.files[0];
      if (file === undefined || !known(file, approval, input)) return asJson(input);
      return { preview: { type: "diff", file: redo(file, editsOf(input)), details: {} }, warnings: [] };
    }
    case "notebook": {
      const new_source = textOf(input, "new_source");
      const { text, added, removed } = unifiedDiff({
        path: preview.file.file_path,
        before: preview.old_source,
        after: new_source,
      });
      return {
        preview: { ...preview, new_source, diff: text, file: { ...preview.file, added, removed } },
        warnings: [],
      };
    }
    case "budget": {
      const limit = input["limit_microusd"];
      return typeof limit === "number"
        ? { preview: { ...preview, proposed_limit_microusd: limit }, warnings: [] }
        : asJson(input);
    }
    case "question":
    case "network":
    case "changes":
    case "generic":
      return asJson(input);
  }
}

/** Another file's text, or one that was too long to be sent, is unknown here. */
function known(file: FileDiff, approval: Approval, input: EditedInput): boolean {
  const whole = file.original_content !== "" || file.is_new_file || file.removed === 0;
  return whole && file.error === undefined && input["file_path"] === approval.input["file_path"];
}

type Edits = { readonly content: string } | { readonly replacements: readonly Replacement[] };

/** By what the input holds: a whole text, a list of replacements, or one. */
function editsOf(input: EditedInput): Edits {
  if ("content" in input) return { content: textOf(input, "content") };
  const list = Array.isArray(input["edits"]) ? (input["edits"] as readonly EditedInput[]) : [input];
  return {
    replacements: list.map((edit) => ({
      old_string: textOf(edit, "old_string"),
      new_string: textOf(edit, "new_string"),
      replace_all: edit["replace_all"] === true,
    })),
  };
}

function redo(file: FileDiff, edits: Edits): FileDiff {
  const before = file.original_content;
  let after = before;
  if ("content" in edits) {
    // The tool keeps Windows line endings, unless the new text has its own.
    after =
      before.includes("\r\n") && !edits.content.includes("\r") ? edits.content.replaceAll("\n", "\r\n") : edits.content;
  } else {
    for (const change of edits.replacements) {
      if (file.is_new_file && after === "" && change.old_string === "") {
        after = change.new_string;
        continue;
      }
      const replaced = replaceText(after, change);
      if ("problem" in replaced) return { ...file, diff: "", added: 0, removed: 0, error: PROBLEMS[replaced.problem] };
      after = replaced.text;
    }
  }
  const { text, added, removed } = unifiedDiff({ path: file.file_path, before, after });
  return { ...file, new_content: after, diff: text, added, removed };
}

const PROBLEMS = {
  same: "old_string and new_string are the same",
  empty: "old_string is empty",
  missing: "old_string is not in the file",
  ambiguous: "old_string is in the file more than once",
} as const;

function asJson(input: EditedInput): PreviewText {
  return { preview: { type: "generic", summary: JSON.stringify(input, undefined, 2) }, warnings: [] };
}

function textOf(input: EditedInput, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}
