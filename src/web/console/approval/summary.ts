import type { Approval, Preview } from "../../../protocol/index.ts";

/** One line that says what a question is about. */
export function summaryOf({ preview, input }: Pick<Approval, "preview" | "input">): string {
  return lineOf(preview) ?? JSON.stringify(input);
}

function lineOf(preview: Preview): string | undefined {
  switch (preview.type) {
    case "diff":
    case "notebook":
      return preview.file.file_path;
    case "multi_diff":
      return preview.files.map(({ file_path }) => file_path).join(", ");
    case "command":
      return preview.command;
    case "question":
      return preview.questions[0]?.question;
    case "budget":
    case "generic":
      return preview.summary;
  }
}
