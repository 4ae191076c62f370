import type {
  ElicitationAnswer,
  ElicitationParams,
  SamplingAnswer,
  SamplingParams,
  ServerRequests,
} from "../../mcp-client/index.ts";
import {
  ELICITATION_TOOL,
  LIMITS,
  SAMPLING_TOOL,
  showHidden,
  textWarnings,
  type Question,
  type Warning,
} from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";
import { presentProfile } from "../permission/effective-profile.ts";
import { askInTurn } from "../permission/turn-question.ts";
import { contentOf, formOf } from "./form.ts";
import { sampleModel } from "./sampling.ts";

/** What a server may ask of its session: a person by a question in the inbox, a model by the session's own key and budget. */
export function serverRequests(session: Session, server: string): ServerRequests {
  const count = questionCount(session);
  return {
    elicit: (params, signal) =>
      "url" in params
        ? openAddress(session, { server, params, signal, count })
        : fillIn(session, { server, params, signal, count }),
    sample: (params, signal) => sample(session, { server, params, signal, count }),
  };
}

interface Asked<Params> {
  readonly server: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  readonly count: () => void;
}

/** Counts what one server asks people in a turn; throws at the bound. Each question is stored and told to people, also one that is withdrawn at once. */
function questionCount(session: Session): () => void {
  let turn_id: string | undefined;
  let asked = 0;
  return () => {
    const now = session.state.turn?.id;
    asked = now === turn_id ? asked + 1 : 1;
    turn_id = now;
    if (asked > LIMITS.mcpServerQuestions)
      throw new Error(`this server has asked ${LIMITS.mcpServerQuestions} questions in this turn already`);
  };
}

async function fillIn(
  session: Session,
  { server, params, signal, count }: Asked<Exclude<ElicitationParams, { mode: "url" }>>,
): Promise<ElicitationAnswer> {
  const form = formOf(params.message, params.requestedSchema);
  if (form === undefined)
    throw new Error(
      "a form may have flat fields of simple types only, and not too many of them; its texts must be short",
    );
  let problem: string | undefined;
  for (let round = 0; round < LIMITS.mcpFormRounds; round += 1) {
    const { questions } = form;
    const answer = await ask(session, { server, message: params.message, questions, problem, signal, count });
    if ("action" in answer) return answer;
    const content = contentOf(form, answer.answers);
    if (typeof content !== "string") return { action: "accept", content: { ...content } };
    problem = content;
  }
  return { action: "cancel" };
}

const OPENED = "I have opened it";

/** The person opens the address; nothing of it is opened or read here. */
async function openAddress(
  session: Session,
  { server, params, signal, count }: Asked<Extract<ElicitationParams, { mode: "url" }>>,
): Promise<ElicitationAnswer> {
  const { message, url } = params;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol) || url.length > LIMITS.mcpFormTextChars)
    throw new Error("the address must begin with https:// or http://");
  // What stands before an @ looks like a host, and is none.
  if (address.username !== "" || address.password !== "")
    throw new Error("the address holds a user name or password; leave them out");
  const question: Question = {
    question: `${shown(message)}\n\nThe page is on ${address.host}. Open it only if you know this host.`,
    header: address.host.slice(0, LIMITS.mcpFormHeaderChars),
    options: [{ label: OPENED, description: address.href }],
    multiSelect: false,
    link: address.href,
  };
  const answer = await ask(session, { server, message, questions: [question], signal, count });
  return "action" in answer ? answer : { action: "accept" };
}

interface AskedForm {
  readonly server: string;
  readonly message: string;
  readonly questions: readonly Question[];
  /** What was wrong with the last answer. */
  readonly problem?: string | undefined;
  readonly signal: AbortSignal;
  readonly count: () => void;
}

async function ask(
  session: Session,
  { server, message, questions, problem, signal, count }: AskedForm,
): Promise<ElicitationAnswer | { readonly answers: Readonly<Record<string, unknown>> }> {
  const said = `The MCP server ${server} asks: ${shown(message)}`;
  const input = { server, message: shown(message), questions };
  count();
  const answer = await askInTurn(
    session,
    {
      tool: ELICITATION_TOOL,
      tier: "execute",
      input,
      preview: { type: "question", questions: [...questions] },
      warnings: warningsIn(JSON.stringify(input)),
      reason: problem === undefined ? said : `${said} The last answer cannot be used: ${problem}.`,
      mostMs: LIMITS.mcpQuestionMs,
    },
    signal,
  );
  if (answer === undefined || answer.outcome === "timed_out") return { action: "cancel" };
  if (answer.outcome !== "approved") return { action: "decline" };
  const answers = answer.updated_input?.["answers"];
  return { answers: typeof answers === "object" && answers !== null ? { ...answers } : {} };
}

async function sample(
  session: Session,
  { server, params, signal, count }: Asked<SamplingParams>,
): Promise<SamplingAnswer> {
  const profile = presentProfile(session.dependencies.policy(), session.state);
  const rule = profile === undefined ? "off" : (profile.mcp_sampling ?? "ask");
  if (rule === "off") throw new Error("the policy does not let MCP servers ask models");
  if (rule === "ask") {
    const messages = params.messages.map(({ role, content }) => ({ role, content }));
    const { systemPrompt, maxTokens } = params;
    const input = {
      server,
      model: session.state.settings.model,
      max_tokens: maxTokens,
      system: systemPrompt ?? "",
      messages,
    };
    const text = JSON.stringify(input);
    if (text.length > LIMITS.mcpSamplingChars) throw new Error("it is too long for a person to read and allow");
    count();
    const answer = await askInTurn(
      session,
      {
        tool: SAMPLING_TOOL,
        tier: "network",
        input,
        preview: { type: "generic", summary: `The MCP server ${server} wants to ask the session's model.` },
        warnings: warningsIn(text),
        reason: `The MCP server ${server} wants to ask the session's model, at the session's cost.`,
        mostMs: LIMITS.mcpQuestionMs,
      },
      signal,
    );
    if (answer?.outcome !== "approved") throw new Error("nobody allowed this server to ask a model");
  }
  return sampleModel(session, params, signal);
}

function shown(message: string): string {
  return showHidden(message.slice(0, LIMITS.mcpFormTextChars), "content");
}

function warningsIn(text: string): readonly Warning[] {
  return textWarnings("What the server sent", text.replaceAll(/\\["\\bfnrt]/g, " "), "content")
    .slice(0, LIMITS.warningsPerCommand)
    .map((message) => ({ kind: "dangerous", message }));
}
