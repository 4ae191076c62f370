import type { QueuedPromptDetail, SessionView } from "../../protocol/index.ts";
import type { SendCall } from "./api-call.ts";

/** Prompts of a session that wait for its open turn to end. */
export class QueueCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  /** One of them, whole. */
  get(id: string, turnId: string): Promise<QueuedPromptDetail> {
    return this.#call({ method: "GET", path: promptPath(id, turnId) });
  }

  /** Another text; attachments stay. One that has begun is not touched. */
  edit(id: string, turnId: string, text: string): Promise<SessionView> {
    return this.#call({ method: "PATCH", path: promptPath(id, turnId), body: { text } });
  }

  /** Sends one of them into the running turn. */
  sendNow(id: string, turnId: string): Promise<SessionView> {
    return this.#call({ method: "POST", path: `${promptPath(id, turnId)}/now` });
  }

  /** All of them, in the order in which they are to begin. */
  reorder(id: string, order: readonly string[]): Promise<SessionView> {
    return this.#call({ method: "PUT", path: `/api/sessions/${encodeURIComponent(id)}/queue`, body: { order } });
  }
}

function promptPath(id: string, turnId: string): string {
  return `/api/sessions/${encodeURIComponent(id)}/prompts/${encodeURIComponent(turnId)}`;
}
