import { LIMITS } from "../../protocol/index.ts";
import type { TurnStory } from "../claude/history.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

/** Whether an agent has a turn on its disk. `unknown`: what it replays does not tell. */
type HeldVerdict = "held" | "lacking" | "unknown";

/**
 * What an agent replays of a conversation that it resumes, which is what it has on the disk. After its process was killed, or after a
 * power cut, this may be less than what it once said.
 */
export class ReplayedConversation {
  /** The end of everything that it said, and of what it said since the last prompt. */
  #all = "";
  #last = "";
  /** Calls since the last prompt that have a result. A model never learns of one without. */
  readonly #results = new Set<string>();
  #isAny = false;

  take(params: VendorFields): void {
    const update = record(params["update"]);
    switch (update["sessionUpdate"]) {
      case "user_message_chunk":
        this.#isAny = true;
        this.#last = "";
        this.#results.clear();
        return;
      case "agent_message_chunk": {
        const words = text(record(update["content"])["text"]) ?? "";
        this.#isAny = true;
        this.#all = `${this.#all}${words}`.slice(-LIMITS.engineHistoryChars);
        this.#last = `${this.#last}${words}`.slice(-LIMITS.engineHistoryChars);
        return;
      }
      case "tool_call":
      case "tool_call_update":
        this.#isAny = true;
        this.#call(update);
        return;
      default:
    }
  }

  #call({ toolCallId, status }: VendorFields): void {
    const hasEnded = status === "completed" || status === "failed";
    const id = text(toolCallId);
    // Too many: then it counts as lacking some, and its model is told them again.
    if (hasEnded && id !== undefined && this.#results.size < LIMITS.agentReplayedCalls) this.#results.add(id);
  }

  /**
   * `isLast`: no prompt came after the turn. `isCompleted`: the agent itself ended it, so that it has all that came before its last words.
   * An agent that replays nothing is believed.
   */
  verdict(
    { calls }: Pick<TurnStory, "calls">,
    { isLast, isCompleted }: { readonly isLast: boolean; readonly isCompleted: boolean },
  ): HeldVerdict {
    const said = lastWords(calls);
    const count = calls.filter(({ tool_use_id }) => tool_use_id !== undefined).length;
    if (!this.#isAny || (said === "" && count === 0)) return "unknown";
    const isEnoughToSay = isCompleted && said !== "" && calls.at(-1)?.said !== undefined;
    if (!isLast && !isEnoughToSay) return "unknown";
    if (!(isLast ? this.#last : this.#all).includes(said)) return "lacking";
    return isEnoughToSay || this.#results.size >= count ? "held" : "lacking";
  }
}

/** The end of what was said last; empty: nothing was said. */
function lastWords(calls: TurnStory["calls"]): string {
  const said = calls.findLast((call) => call.said !== undefined)?.said ?? "";
  return said.trim().slice(-LIMITS.engineHistoryPartChars);
}
