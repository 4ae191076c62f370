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
import { visible } from "../../ui/visible.ts";
import { t } from "../../ui/language/t.ts";

const BY_TIER: Readonly<Record<Tier, string>> = {
  read: t("Needs approval because it reads"),
  network: t("Needs approval because it uses the network"),
  page: t("Needs approval because it changes a page"),
  write: t("Needs approval because it changes files"),
  execute: t("Needs approval because it runs a command"),
};
/** The server's text when the only reason is the kind of the call. */
const PLAIN = /^\S+ (?:reads|reaches the network|changes files|runs a program)\.$/;

/** Why a person is asked, as a sentence, with its hidden characters named. An agent's question needs no reason. */
export function reasonWords({
  tier,
  reason,
  preview,
  tool,
}: Pick<Approval, "tier" | "reason" | "preview" | "tool">): string | undefined {
  if (tool in SERVER_TITLES) return visible(reason);
  if (preview.type === "question") return undefined;
  if (preview.type === "budget" || preview.type === "network" || preview.type === "changes") return visible(reason);
  return PLAIN.test(reason) ? BY_TIER[tier] : t("Needs approval: {reason}", { reason: visible(reason) });
}

const SERVER_TITLES: Readonly<Record<string, string>> = {
  [ELICITATION_TOOL]: t("An MCP server has a question"),
  [SAMPLING_TOOL]: t("An MCP server wants to ask the model"),
  [REPOSITORY_TOOL]: t("A repository wants to run programs"),
};

/** What a question is called. */
export function cardTitle({ preview, status, tool }: Pick<Approval, "preview" | "status" | "tool">): string {
  const own = SERVER_TITLES[tool];
  if (own !== undefined) return own;
  switch (preview.type) {
    case "question":
      return t("The agent has a question");
    case "budget":
      return t("Budget reached");
    case "network":
      return t("A program wants to reach a host");
    case "changes":
      return t("Review the changes");
    default:
      return status === "pending" ? t("Tool Approval Required") : t("Tool Approval");
  }
}

/** What an approval for the session also allows. `reach` absent: the rule is clear. */
export function ruleWords(
  rule: string,
  { tool, preview }: Pick<Approval, "tool" | "preview">,
): { readonly allows: string; readonly reach?: string } {
  if (preview.type === "network" && (preview.port === 80 || preview.port === 443))
    return { allows: rule, reach: t("(ports 80 and 443)") };
  if (preview.type !== "command" || rule !== `${tool}(${preview.command})`) return { allows: rule };
  return { allows: preview.command, reach: t("(exactly this command)") };
}

/** A tool's name in a list; for anything else what it asks for. */
export function toolLabel(tool: string): string {
  if (tool === BUDGET_TOOL) return t("Budget reached");
  if (tool === REVIEW_TOOL) return t("Review the changes");
  return tool === QUESTION_TOOL ? t("Question") : (SERVER_TITLES[tool] ?? tool);
}
