import { previewLine, type Approval, type Preview } from "../../../protocol/index.ts";

/** One line that says what a question is about; after a change, what was approved. */
export function summaryOf({
  preview,
  input,
  updated_input: changed,
}: Pick<Approval, "preview" | "input" | "updated_input">): string {
  const ran = changed === undefined ? undefined : changedLine(preview, changed);
  return ran ?? previewLine(preview) ?? JSON.stringify(input);
}

function changedLine(preview: Preview, changed: Approval["input"]): string | undefined {
  switch (preview.type) {
    case "question":
    case "budget":
      return undefined;
    default: {
      const named = changed["command"] ?? changed["file_path"] ?? changed["notebook_path"];
      return typeof named === "string" ? named : JSON.stringify(changed);
    }
  }
}
