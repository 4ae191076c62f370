import { Failure, type RuntimeMessage } from "../../protocol/index.ts";
import type { RuntimePage } from "./page.ts";

type ApprovalRequestMessage = Extract<RuntimeMessage, { type: "approval_request" }>;

interface OpenQuestion {
  readonly message: ApprovalRequestMessage;
  /** How many messages each page had been sent when it was shown there: an earlier answer cannot mean it. */
  readonly shown: Map<RuntimePage, number>;
}

/** The open questions of one turn, the oldest first, and where each was shown. */
export class TurnQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  /** Answered from here: whoever sends the next answer knows that it is for another question. */
  readonly #own = new Set<string>();
  /** Somebody else ended the last question, so the next answer without a name may still mean that one. */
  #isReplaced = false;

  /** A page was sent a question, or the end of one. */
  told(page: RuntimePage, message: RuntimeMessage): void {
    if (message.type === "approval_request") {
      const shown = new Map(this.#isReplaced ? [] : [[page, page.said]]);
      this.#open.set(message.requestId, { message, shown });
      this.#isReplaced = false;
    } else if (message.type === "approval_resolved") this.#end(message);
  }

  /** Marks it as answered from here; call the returned function to undo that. */
  answering(id: string): () => void {
    this.#own.add(id);
    return () => void this.#own.delete(id);
  }

  /** The question that an answer without a name means: the oldest, if that page was shown it before it sent the answer. */
  meant(page: RuntimePage, said: number): string {
    const [question] = this.#open.values();
    if (question === undefined) throw new Failure("not_found", "nothing waits for an answer");
    const { message, shown } = question;
    const at = shown.get(page);
    if (at !== undefined && said >= at) return message.requestId;
    page.say(message);
    shown.set(page, page.said);
    throw new Failure(
      "input_changed",
      "the answer names no question, and may mean one that has ended; look at the one that is shown now and answer again, with its requestId",
    );
  }

  #end({ requestId, status }: Extract<RuntimeMessage, { type: "approval_resolved" }>): void {
    const [first] = this.#open.keys();
    this.#open.delete(requestId);
    // A cancelled question was not answered by anybody: what it showed had changed.
    const isAnswered = this.#own.delete(requestId) && status !== "cancelled";
    if (first !== requestId || isAnswered) return;
    const [next] = this.#open.values();
    if (next === undefined) this.#isReplaced = true;
    else next.shown.clear();
  }
}
