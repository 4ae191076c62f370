import {
  defined,
  Failure,
  runtimeAnswer,
  type Decision,
  type RuntimeInputResponse,
  type RuntimeUserMessage,
} from "../../protocol/index.ts";
import type { ClientQueue } from "../../sessions/index.ts";
import { MessageRun, type RuntimeSessionState } from "./request.ts";
import type { RuntimePage } from "./page.ts";

/** One client session, whatever sockets use it: its messages are done one after the other. */
export class RuntimeSession {
  readonly #state: RuntimeSessionState;
  readonly #queue: ClientQueue;

  constructor({ queue, ...state }: Omit<RuntimeSessionState, "told"> & { readonly queue: ClientQueue }) {
    this.#state = { ...state, told: undefined };
    this.#queue = queue;
  }

  /** `done`: called once, when it is answered. */
  submit(page: RuntimePage, message: RuntimeUserMessage, done: () => void): void {
    const request = new MessageRun(this.#state, { page, message, done });
    if (this.#queue.running !== undefined) request.wait();
    this.#queue.add(request);
  }

  /** Ends everything that runs and waits. Each ended message gets its `aborted`, and so does the caller. */
  abort(page: RuntimePage): void {
    const ended = this.#stop();
    if (ended.some((request) => request.page === page)) return;
    const note = ended.length === 0 ? "No running query" : "Stopped";
    page.say({ type: "aborted", sessionId: this.#state.name, note });
  }

  /** The next message begins a new session. */
  clear(page: RuntimePage, done: () => void): void {
    this.#stop();
    this.#queue.add({ run: () => this.#clear(page).finally(done) });
  }

  /** `said`: how many messages the page had been sent when its answer came. */
  async answer(page: RuntimePage, { requestId, value }: RuntimeInputResponse, said: number): Promise<void> {
    const { caller } = page;
    const { server, name } = this.#state;
    const { approvals, clients } = server.gateway;
    const questions = this.#running?.questions;
    const id = requestId ?? questions?.meant(page, said);
    if (id === undefined) throw new Failure("not_found", "nothing waits for an answer");
    const approval = await approvals.get(caller, id);
    if (approval.session_id !== (await clients.find(caller, name)))
      throw new Failure("not_found", `there is no approval ${id} in this session`);
    const { approved, feedback, updated_input, always, interrupt } = runtimeAnswer(value, approval);
    const { input_hash } = approval;
    const decision: Decision = approved
      ? defined({ decision: "approve", input_hash, scope: always === true ? "session" : undefined, updated_input })
      : defined({ decision: "reject", input_hash, feedback, interrupt, hold_queue: interrupt });
    const unregister = questions?.answering(id);
    try {
      await approvals.decide(caller, id, decision);
    } catch (error) {
      unregister?.();
      throw error;
    }
    if (decision.interrupt === true) this.#queue.dropWaiting();
  }

  get #running(): MessageRun | undefined {
    const { running } = this.#queue;
    return running instanceof MessageRun ? running : undefined;
  }

  /** Returns the messages that this ends. */
  #stop(): readonly MessageRun[] {
    const waiting = this.#queue.dropWaiting().filter((task) => task instanceof MessageRun);
    const running = this.#running;
    running?.stop();
    return running === undefined ? waiting : [running, ...waiting];
  }

  async #clear(page: RuntimePage): Promise<void> {
    const { server, caller, name } = this.#state;
    try {
      await server.gateway.clients.drop(caller, name);
      this.#state.told = undefined;
      page.say({ type: "session_reset", sessionId: name, reason: "new_chat" });
    } catch (error) {
      page.refuse(name, error);
    }
  }
}
