import type {
  PermissionOption,
  RequestPermissionRequest,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { z } from "zod";
import {
  answerKeys,
  dollars,
  effectsOf,
  filesOf,
  reviewDiff,
  type Approval,
  type Decision,
  type FileDiff,
  type Question,
} from "../../protocol/index.ts";
import { oneLine, visibleCommand } from "../terminal/visible.ts";
import { diffsOf, wholeDiff } from "./diffs.ts";
import { fenced, kindOf, locationsOf } from "./tool-calls.ts";

const TITLE_CHARS = 120;
const REJECT: PermissionOption = { optionId: "reject_once", name: "Reject", kind: "reject_once" };

/** A question to the editor, and what each answer means. An answer that was not offered means nothing. */
export interface PermissionQuestion {
  readonly request: RequestPermissionRequest;
  readonly chosen: (optionId: string) => Decision | QuestionAnswer | undefined;
}

/** To one of an agent's own questions. */
export interface QuestionAnswer {
  readonly question: Question;
  readonly label: string;
}

const CLOSED = "the editor closed the question";
const NOT_PROTOCOL = "the editor gave an answer that is not in the protocol";

const Outcome = z.object({
  outcome: z.discriminatedUnion("outcome", [
    z.object({ outcome: z.literal("selected"), optionId: z.string() }),
    z.object({ outcome: z.literal("cancelled") }),
  ]),
});

/** The option that a person chose. `closed`: why there is none. */
export type EditorChoice = { readonly optionId: string } | { readonly closed: string };

export const NO_CHOICE: EditorChoice = { closed: CLOSED };

/** Reads an editor's answer. The library passes on whatever the editor sent. */
export function choiceIn(answer: unknown): EditorChoice {
  const parsed = Outcome.safeParse(answer);
  if (!parsed.success) return { closed: NOT_PROTOCOL };
  const { outcome } = parsed.data;
  return outcome.outcome === "selected" ? { optionId: outcome.optionId } : NO_CHOICE;
}

/** One of our approvals in an editor's form; an agent's own questions are asked one after the other. */
export function askedOf(approval: Approval, workspace: string): readonly PermissionQuestion[] {
  const { preview } = approval;
  if (preview.type === "question") return preview.questions.map((question) => questionAsked(approval, question));
  const { input_hash, session_rule } = approval;
  const elsewhere = whyNotHere(approval);
  const decisions: Readonly<Record<string, Decision>> = {
    allow_once: { decision: "approve", input_hash, scope: "once" },
    allow_always: { decision: "approve", input_hash, scope: "session" },
    reject_once: { decision: "reject", input_hash },
  };
  const allow: PermissionOption[] = [
    {
      optionId: "allow_once",
      name: preview.type === "budget" ? `Allow up to ${dollars(preview.proposed_limit_microusd)}` : "Allow",
      kind: "allow_once",
    },
    ...(session_rule === undefined || preview.type === "budget"
      ? []
      : [
          {
            optionId: "allow_always",
            name: `Always allow ${visibleCommand(session_rule)} in this session`,
            kind: "allow_always" as const,
          },
        ]),
  ];
  const options = elsewhere === undefined ? [...allow, REJECT] : [REJECT];
  return [
    {
      request: { sessionId: approval.session_id, toolCall: toolCallOf(approval, workspace, elsewhere), options },
      chosen: (optionId) => (options.some((option) => option.optionId === optionId) ? decisions[optionId] : undefined),
    },
  ];
}

/** The approval that carries the answers, one for each question in their order. */
export function answered({ input, input_hash }: Approval, answers: readonly QuestionAnswer[]): Decision {
  const keys = answerKeys(answers.map(({ question }) => question));
  const said = answers.map(
    ({ question, label }, index) => [keys[index] ?? question.question, question.multiSelect ? [label] : label] as const,
  );
  return { decision: "approve", input_hash, updated_input: { ...input, answers: Object.fromEntries(said) } };
}

function questionAsked(approval: Approval, question: Question): PermissionQuestion {
  const { session_id, item_id, input_hash } = approval;
  const answers = new Map(question.options.map(({ label }, index) => [`answer_${index + 1}`, label]));
  const about = question.options.map(({ label, description }) => `- **${label}**: ${description}`).join("\n");
  return {
    request: {
      sessionId: session_id,
      toolCall: {
        toolCallId: item_id,
        title: question.question,
        kind: "think",
        status: "pending",
        content: [{ type: "content", content: { type: "text", text: `${question.question}\n\n${about}` } }],
      },
      options: [
        ...[...answers].map(([optionId, name]) => ({ optionId, name, kind: "allow_once" as const })),
        { ...REJECT, name: "No answer" },
      ],
    },
    chosen: (optionId) => {
      if (optionId === REJECT.optionId) return { decision: "reject", input_hash };
      const label = answers.get(optionId);
      return label === undefined ? undefined : { question, label };
    },
  };
}

/** Why it cannot be approved in an editor: part of it cannot be shown there. */
function whyNotHere({ id, preview, not_approvable }: Approval): string | undefined {
  if (not_approvable !== undefined) return not_approvable;
  const isCut = preview.type === "changes" ? preview.cut : filesOf(preview).some(({ cut }) => cut === true);
  if (isCut !== true) return undefined;
  return `This change is too long to be shown here, so it cannot be approved here. Approve it in the console, or with: sallyport approve ${id}`;
}

/** `elsewhere`: why it cannot be approved here. */
function toolCallOf(approval: Approval, workspace: string, elsewhere?: string): ToolCallUpdate {
  return {
    // The server's own questions belong to no call.
    toolCallId: approval.item_id === "" ? approval.tool_use_id : approval.item_id,
    title: oneLine(`${approval.tool}: ${approval.reason}`, TITLE_CHARS),
    name: approval.tool,
    kind: approval.preview.type === "network" ? "fetch" : kindOf(approval.tool),
    status: "pending",
    content: [
      ...previewContent(approval),
      ...effectContent(approval),
      ...warningContent(approval),
      ...(elsewhere === undefined ? [] : [words(elsewhere)]),
    ],
    locations: locationsOf(approval.input, workspace),
    rawInput: approval.input,
  };
}

function fileContent(file: FileDiff): readonly ToolCallContent[] {
  // A question omits long contents: then its diff has the changed parts.
  const isLong = file.diff !== "" && (file.new_content === "" || (!file.is_new_file && file.original_content === ""));
  const diffs = isLong ? diffsOf(file.diff, () => (file.is_new_file ? "new" : "changed")) : [wholeDiff(file)];
  return diffs.map(({ path, oldText = null, newText }) => ({ type: "diff", path, oldText, newText }));
}

function previewContent({ preview, input }: Approval): readonly ToolCallContent[] {
  switch (preview.type) {
    case "diff":
    case "notebook":
      return fileContent(preview.file);
    case "multi_diff":
      return preview.files.flatMap(fileContent);
    case "command":
      return [
        fenced(visibleCommand(preview.command)),
        ...(preview.parse_error === undefined ? [] : [words(preview.parse_error)]),
      ];
    case "budget":
    case "network":
      return [words(preview.summary)];
    case "changes":
      return [words(visibleCommand(preview.summary)), fenced(visibleCommand(reviewDiff(preview)))];
    case "generic":
      return [fenced(visibleCommand(JSON.stringify(input, undefined, 2)))];
    case "question":
      return [];
  }
}

function effectContent({ preview }: Approval): readonly ToolCallContent[] {
  const effects = effectsOf(preview);
  return effects.length === 0 ? [] : [words(effects.map((effect) => `• ${effect}`).join("\n"))];
}

function warningContent({ warnings }: Approval): readonly ToolCallContent[] {
  return warnings.length === 0 ? [] : [words(warnings.map(({ message }) => `⚠ ${message}`).join("\n"))];
}

function words(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
