import { CreateSession, type Attachment } from "../../../../protocol/index.ts";
import { parseDollars } from "../../../ui/dollars.ts";
import { t } from "../../../ui/language/t.ts";
import { byField, hasOwnFiles, toolNames, type Draft, type Problems } from "./draft.ts";

export type DraftRequest =
  | { readonly session: CreateSession; readonly problems?: undefined }
  | { readonly problems: Problems };

/** The request of a draft, or what to fix first. A template needs no prompt. */
export function requestOf(
  draft: Draft,
  attachments: readonly Attachment[],
  { forTemplate = false } = {},
): DraftRequest {
  const numbers = numbersOf(draft);
  if ("problems" in numbers) return numbers;
  const { tools, prompt } = draft;
  const text = prompt.trim() === "" ? undefined : prompt;
  if (text === undefined && !forTemplate) return { problems: { prompt: t("Describe what the agent should do.") } };
  const parsed = CreateSession.safeParse({
    ...filled({ engine: draft.engine, provider: draft.provider, model: draft.model, workspace: draft.workspace }),
    ...filled({ sandbox: draft.sandbox, network: draft.network, profile: draft.profile, permission_mode: draft.mode }),
    ...filled({ workspace_mode: draft.workspaceMode, instructions: draft.instructions }),
    ...(draft.workspaceMode === "snapshot" ? filled({ repo_filter: draft.repoFilter }) : {}),
    ...(hasOwnFiles(draft) ? filled({ review: draft.review }) : {}),
    ...filled({ autonomy: draft.autonomy, unattended: draft.unattended, system_prompt: draft.systemPrompt }),
    ...numbers.values,
    ...(tools.trim() === "" ? {} : { tools: toolNames(tools) }),
    ...(draft.askReads ? { ask_reads: true } : {}),
    ...(text === undefined ? {} : { prompt: { text, ...(attachments.length === 0 ? {} : { attachments }) } }),
  });
  if (parsed.success) return { session: parsed.data };
  return {
    problems: byField(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }))),
  };
}

function filled(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]])),
  );
}

function numbersOf(draft: Draft): { readonly values: Readonly<Record<string, number>> } | { problems: Problems } {
  const values: Record<string, number> = {};
  const problems: Record<string, string> = {};
  const whole = [
    ["maxTurns", "max_turns"],
    ["maxTokens", "max_tokens"],
    ["thinkingTokens", "thinking_tokens"],
  ] as const;
  for (const [field, name] of whole) {
    const text = draft[field].trim();
    if (text === "") continue;
    if (/^\d{1,9}$/.test(text)) values[name] = Number(text);
    else problems[field] = t("Enter a whole number.");
  }
  // 0,5 is a half to some and five to others: that must not cost anybody money.
  const budget = parseDollars(draft.budget);
  if (budget !== undefined) values["max_cost_microusd"] = budget;
  else if (draft.budget.trim() !== "")
    problems["budget"] = t("Enter dollars, such as 2 or 0.50, with at most six decimals.");
  return Object.keys(problems).length > 0 ? { problems } : { values };
}
