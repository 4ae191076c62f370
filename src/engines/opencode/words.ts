import { LIMITS, type ErrorDetail } from "../../protocol/index.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import type { ProcessEnd } from "../vendor/output.ts";

export const REMINDER = `Give your answer now: call ${STRUCTURED_OUTPUT} with it.`;

export const TOO_MANY: ErrorDetail = {
  code: "engine_failed",
  message: `OpenCode was ended because it had more than ${LIMITS.engineOpenCalls} tool calls open. Send the prompt again.`,
};

/** OpenCode's record says that the answer was refused: that is how its turn is ended. */
export const ANSWER_TAKEN = "Your answer in the last turn was taken, whatever the result of your last call above says.";

export const RETOLD =
  "OpenCode's own record of this conversation is gone; the model was told what was said before as text. Files it had read it may read again.";

export const FORKED =
  "OpenCode's own record stays with the session that was forked; the model was told what was said before as text.";

export const COMPLETED =
  "OpenCode's own record of this conversation lacked its end; the model was told what was said and done there as text.";

export function maxTurnsReached(max_turns: number): ErrorDetail {
  return {
    code: "max_turns",
    message: `Max turns reached: stopped after ${max_turns} rounds of the model (max_turns); send another prompt to go on`,
  };
}

/** How a process ended, for people. */
export function endWords({ code, signal, complaint, failure }: ProcessEnd): string {
  if (failure !== undefined) return `OpenCode was ended because ${failure}. Send the prompt again.`;
  const how = signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
  const said = complaint.trim();
  return `OpenCode ended unexpectedly, ${how}${said === "" ? "" : `: ${said}`}. Send the prompt again.`;
}

export function retryWords(retry: {
  readonly attempt: number;
  readonly message: string;
  readonly waitMs: number;
  readonly dropped: boolean;
}): string {
  const what = retry.dropped ? "The model's answer broke off" : "The model did not answer";
  return `${what} (${retry.message}). Asking again in ${Math.ceil(retry.waitMs / 1_000)} s, attempt ${retry.attempt}.`;
}
