import { SIM_LIMITS } from "../limits.ts";
import { ApiError, type Fields } from "../wire.ts";

/** One conversation that is stored for its caller. */
interface HeldThread {
  /** Model, system, tools and messages, including the last answer. */
  readonly body: Fields;
  readonly chars: number;
}

/** Fields that a thread keeps from the request that created it. */
const KEPT = ["system", "tools"] as const;

/** Conversations that the model stores between requests (`thread`), the newest ones. */
export class HeldThreads {
  readonly #held = new Map<string, HeldThread>();
  #chars = 0;

  /** The whole request behind one that sends only new messages. */
  expand(body: unknown): unknown {
    const fields = fieldsOf(body);
    const thread = fieldsOf(fields["thread"]);
    if (thread["type"] !== "continue") return body;
    const id = thread["previous_message_id"];
    if (typeof id !== "string") throw new ApiError(400, "thread.continue.previous_message_id: Field required");
    const held = this.#held.get(id)?.body;
    if (held === undefined) throw new ApiError(404, `thread not found: ${id}`, { code: "thread_not_found" });
    const added = Array.isArray(fields["messages"]) ? (fields["messages"] as readonly unknown[]) : [];
    const kept = Object.fromEntries(KEPT.filter((name) => held[name] !== undefined).map((name) => [name, held[name]]));
    return { ...kept, ...fields, messages: [...(held["messages"] as readonly unknown[]), ...added] };
  }

  /** Stores a conversation under the id of its last answer, if the caller asked for that. `body`: the whole request. */
  keep(body: unknown, answer: Fields): void {
    const { thread, ...fields } = fieldsOf(body);
    if (typeof fieldsOf(thread)["type"] !== "string") return;
    const messages = [...(fields["messages"] as readonly unknown[]), { role: "assistant", content: answer["content"] }];
    const held = { ...fields, messages };
    this.#put(String(answer["id"]), { body: held, chars: JSON.stringify(held).length });
  }

  #put(id: string, held: HeldThread): void {
    this.#drop(id);
    this.#held.set(id, held);
    this.#chars += held.chars;
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= SIM_LIMITS.threads && this.#chars <= SIM_LIMITS.threadChars) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#chars -= this.#held.get(id)?.chars ?? 0;
    this.#held.delete(id);
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
