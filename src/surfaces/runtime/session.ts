import {
  Failure,
  runtimeAnswer,
  type Decision,
  type RuntimeInputResponse,
  type RuntimeUserMessage,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import { MessageRun, type RuntimeSessionState } from "./request.ts";
import type { RuntimeServer } from "./server.ts";
import type { RuntimePage } from "./page.ts";

/** A task that waits for its turn, and who must learn that it is over. */
interface Task {
  readonly request?: MessageRun;
  readonly run: () => Promise<void>;
  readonly done: () => void;
}

/** One client session, whatever sockets use it: its messages run one after the other. */
export class RuntimeSession {
  readonly #state: RuntimeSessionState;
  #waiting: Task[] = [];
  #running: Task | undefined;

  constructor(server: RuntimeServer, caller: Caller, name: string) {
    this.#state = { server, caller, name, told: undefined };
  }

  get idle(): boolean {
    return this.#running === undefined;
  }

  /** The session that it works in now; undefined: none. */
  get sessionId(): string | undefined {
    return this.#running?.request?.sessionId;
  }

  submit(page: RuntimePage, message: RuntimeUserMessage, done: () => void): void {
    const request = new MessageRun(this.#state, page, message);
    if (!this.idle) request.wait();
    this.#add({ request, run: () => request.run(), done });
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
    this.#add({ run: () => this.#clear(page), done });
  }

  /** `said`: how many messages the page had been sent when its answer came. */
  async answer(page: RuntimePage, { requestId, value }: RuntimeInputResponse, said: number): Promise<void> {
    const { caller } = page;
    const { server, name } = this.#state;
    const { approvals, clients } = server.gateway;
    const questions = this.#running?.request?.questions;
    const id = requestId ?? questions?.meant(page, said);
    if (id === undefined) throw new Failure("not_found", "nothing waits for an answer");
    const approval = await approvals.get(caller, id);
    if (approval.session_id !== (await clients.find(caller, name)))
      throw new Failure("not_found", `there is no approval ${id} in this session`);
    const { approved, feedback, updated_input, always, interrupt } = runtimeAnswer(value, approval);
    const { input_hash } = approval;
    const decision: Decision = approved
      ? {
          decision: "approve",
          input_hash,
          ...(always === true ? { scope: "session" } : {}),
          ...(updated_input === undefined ? {} : { updated_input }),
        }
      : {
          decision: "reject",
          input_hash,
          ...(feedback === undefined ? {} : { feedback }),
          ...(interrupt === undefined ? {} : { interrupt, hold_queue: interrupt }),
        };
    const unregister = questions?.answering(id);
    try {
      await approvals.decide(caller, id, decision);
    } catch (error) {
      unregister?.();
      throw error;
    }
    if (decision.interrupt === true) this.#dropWaiting();
  }

  #add(task: Task): void {
    this.#waiting.push(task);
    if (this.idle) void this.#work();
  }

  async #work(): Promise<void> {
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      this.#running = task;
      await task.run();
      task.done();
    }
    this.#running = undefined;
  }

  /** Returns the messages that this ends. */
  #stop(): readonly MessageRun[] {
    const waiting = this.#dropWaiting();
    const running = this.#running?.request;
    running?.stop();
    return running === undefined ? waiting : [running, ...waiting];
  }

  /** Ends the messages that have not begun. */
  #dropWaiting(): readonly MessageRun[] {
    const waiting = this.#waiting.filter((task) => task.request !== undefined);
    this.#waiting = this.#waiting.filter((task) => task.request === undefined);
    for (const { request, done } of waiting) {
      request?.drop();
      done();
    }
    return waiting.flatMap(({ request }) => request ?? []);
  }

  async #clear(page: RuntimePage): Promise<void> {
    const { server, caller, name } = this.#state;
    try {
      const session_id = await server.gateway.clients.drop(caller, name);
      if (session_id !== undefined) await server.gateway.sessions.close(caller, session_id);
      this.#state.told = undefined;
      page.say({ type: "session_reset", sessionId: name, reason: "new_chat" });
    } catch (error) {
      page.refuse(name, error);
    }
  }
}
