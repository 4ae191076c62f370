import type { PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import { Failure, type JournalEvent } from "../../protocol/index.ts";
import { requestError } from "./failures.ts";

export type TurnEndEvent = Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }>;

/** How a turn ended, in an editor's terms; without a matching term it is an error. */
export function endOf(event: TurnEndEvent): PromptResponse | RequestError {
  if (event.type === "turn.completed") {
    if (event.stop_reason === "max_tokens" || event.stop_reason === "refusal") return { stopReason: event.stop_reason };
    return { stopReason: "end_turn" };
  }
  switch (event.error.code) {
    case "aborted":
    case "rejected_and_stopped":
      return { stopReason: "cancelled" };
    case "max_turns":
      return { stopReason: "max_turn_requests" };
    case "max_tokens":
    case "context_exceeded":
      return { stopReason: "max_tokens" };
    case "refusal":
      return { stopReason: "refusal" };
    default:
      return requestError(new Failure(event.error.code, event.error.message));
  }
}
