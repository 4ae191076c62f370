import {
  BUDGET_TOOL,
  ELICITATION_TOOL,
  QUESTION_TOOL,
  REPOSITORY_TOOL,
  REVIEW_TOOL,
  SAMPLING_TOOL,
  type Approval,
  type Tier,
} from "../../../protocol/index.ts";

const BY_TIER: Readonly<Record<Tier, string>> = {
  read: "it reads",
  network: "it uses the network",
  page: "it changes a page",
  write: "it changes files",
  execute: "it runs a command",
};
/** The server's text when the only reason is the kind of the call. */
const PLAIN = /^\S+ (?:reads|reaches the network|changes files|runs a program)\.$/;

/** Why a person is asked, as a sentence. An agent's question needs no reason. */
export function reasonWords({
  tier,
  reason,
  preview,
  tool,
}: Pick<Approval, "tier" | "reason" | "preview" | "tool">): string | undefined {
  if (tool in SERVER_TITLES) return reason;
  if (preview.type === "question") return undefined;
  if (preview.type === "budget" || preview.type === "network" || preview.type === "changes") return reason;
  return PLAIN.test(reason) ? `Needs approval because ${BY_TIER[tier]}` : `Needs approval: ${reason}`;
}

const SERVER_TITLES: Readonly<Record<string, string>> = {
  [ELICITATION_TOOL]: "An MCP server has a question",
  [SAMPLING_TOOL]: "An MCP server wants to ask the model",
  [REPOSITORY_TOOL]: "A repository wants to run programs",
};

/** What a question is called. */
export function cardTitle({ preview, status, tool }: Pick<Approval, "preview" | "status" | "tool">): string {
  const own = SERVER_TITLES[tool];
  if (own !== undefined) return own;
  switch (preview.type) {
    case "question":
      return "The agent has a question";
    case "budget":
      return "Budget reached";
    case "network":
      return "A program wants to reach a host";
    case "changes":
      return "Review the changes";
    default:
      return status === "pending" ? "Tool Approval Required" : "Tool Approval";
  }
}

/** What an approval for the session also allows. `reach` absent: the rule is clear. */
export function ruleWords(
  rule: string,
  { tool, preview }: Pick<Approval, "tool" | "preview">,
): { readonly allows: string; readonly reach?: string } {
  if (preview.type === "network" && (preview.port === 80 || preview.port === 443))
    return { allows: rule, reach: "(ports 80 and 443)" };
  if (preview.type !== "command" || rule !== `${tool}(${preview.command})`) return { allows: rule };
  return { allows: preview.command, reach: "(exactly this command)" };
}

/** A tool's name in a list; for anything else what it asks for. */
export function toolLabel(tool: string): string {
  if (tool === BUDGET_TOOL) return "Budget reached";
  if (tool === REVIEW_TOOL) return "Review the changes";
  return tool === QUESTION_TOOL ? "Question" : (SERVER_TITLES[tool] ?? tool);
}
