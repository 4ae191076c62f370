import type { FileDiff, Preview, ReviewPreview } from "./approvals.ts";

/** The `tool` of a question about money. */
export const BUDGET_TOOL = "Budget";
/** The `tool` of a question about a host that a sandbox may reach. */
export const NETWORK_TOOL = "Network";
/** The `tool` of a question about everything that a session changed. */
export const REVIEW_TOOL = "Review";

/** The `tool` of a question about the programs that a repository names: MCP servers and hooks. */
export const REPOSITORY_TOOL = "Repository";
/** The `tool` of a question that an MCP server has: fields to fill in, or an address to open. */
export const ELICITATION_TOOL = "McpQuestion";
/** The `tool` of a question whether an MCP server may ask the session's model. */
export const SAMPLING_TOOL = "McpSampling";

const SERVER_QUESTIONS: ReadonlySet<string> = new Set([
  BUDGET_TOOL,
  NETWORK_TOOL,
  REVIEW_TOOL,
  REPOSITORY_TOOL,
  ELICITATION_TOOL,
  SAMPLING_TOOL,
]);

/** Whether the server itself asks, about no call of a tool. Only a person answers these, and not in a changed form. */
export function isServerQuestion(tool: string): boolean {
  return SERVER_QUESTIONS.has(tool);
}

/** What a question is about, in one line. Undefined: it asks nothing. */
export function previewLine(preview: Preview): string | undefined {
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
    case "network":
    case "changes":
    case "generic":
      return preview.summary;
  }
}

/** Side effects beyond the text, such as a link that is written through, and why a change cannot be made. */
export function effectsOf(preview: Preview): readonly string[] {
  const all: string[] = [];
  for (const { effects, error } of filesOf(preview)) all.push(...effects, ...(error === undefined ? [] : [error]));
  return all;
}

/** The diffs of a review, one after the other. */
export function reviewDiff({ files }: Pick<ReviewPreview, "files">): string {
  return files.flatMap(({ diff }) => diff ?? []).join("\n");
}

/** The files that a preview shows. */
export function filesOf(preview: Preview): readonly FileDiff[] {
  if (preview.type === "multi_diff") return preview.files;
  return "file" in preview ? [preview.file] : [];
}
