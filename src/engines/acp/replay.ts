import { LIMITS } from "../../protocol/index.ts";
import type { TurnStory } from "../claude/history.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

/**
 * What an agent replays of a conversation that it takes up again: that is what it has on the disk. After a power cut this may be less than
 * what it once said.
 */
export class ReplayedConversation {
  /** What it said at all, and since the last prompt; the end of it. */
  #all = "";
  #last = "";
  #calls = 0;
  #isAny = false;

  take(params: VendorFields): void {
    const update = record(params["update"]);
    switch (update["sessionUpdate"]) {
      case "user_message_chunk":
        this.#isAny = true;
        this.#last = "";
        this.#calls = 0;
        return;
      case "agent_message_chunk": {
        const words = text(record(update["content"])["text"]) ?? "";
        this.#isAny = true;
        this.#all = `${this.#all}${words}`.slice(-LIMITS.engineHistoryChars);
        this.#last = `${this.#last}${words}`.slice(-LIMITS.engineHistoryChars);
        return;
      }
      case "tool_call":
        this.#isAny = true;
        this.#calls += 1;
        return;
      default:
    }
  }

  /** Whether it lacks the end of a turn. `isLast`: no prompt came after it. An agent that replays nothing is taken at its word. */
  lacks({ calls }: TurnStory, { isLast }: { readonly isLast: boolean }): boolean {
    if (!this.#isAny) return false;
    const said = calls.findLast((call) => call.said !== undefined)?.said?.trim();
    if (said !== undefined && said !== "") return !(isLast ? this.#last : this.#all).includes(said);
    return isLast && this.#calls < calls.length;
  }
}
