import { Failure, Prompt, type EditPrompt, type QueuedPromptDetail, type SessionView } from "../../protocol/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../access/access.ts";
import { queuedPrompt } from "../core/journal.ts";
import type { Beside, Session } from "../core/session.ts";
import { view } from "../core/state.ts";
import { refuseUnsteerable } from "../core/steering.ts";
import type { SessionServiceParts } from "./session-requests.ts";

type QueueServiceParts = Pick<SessionServiceParts, "dependencies" | "registry"> & {
  readonly instructions: SessionServiceParts["instructions"];
};

/** Prompts that wait for the open turn to end. People read, change and reorder them. */
export class QueueService {
  readonly #parts: QueueServiceParts;

  constructor(parts: QueueServiceParts) {
    this.#parts = parts;
  }

  /** A prompt that waits, whole. */
  async get(caller: Caller, id: string, turn_id: string): Promise<QueuedPromptDetail> {
    const session = await this.#session(caller, "session.read", id);
    const { prompt, by } = await this.#queued(session, turn_id);
    return { turn_id, prompt, by };
  }

  /** Changes the text of a waiting prompt; its attachments stay. Whoever changed it counts as its author. */
  async edit(caller: Caller, id: string, turn_id: string, { text }: EditPrompt): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    const { prompt } = await this.#queued(session, turn_id);
    const expanded = await this.#parts.instructions.expanded(
      caller,
      session,
      Prompt.parse({ ...prompt, text: text.toWellFormed() }),
    );
    const by = { id: caller.id, name: caller.name, role: caller.role };
    const beside = this.#audit(caller, "session.edit_prompt", id, { turn_id });
    await session.execute({ type: "edit", turn_id, prompt: expanded, by }, beside);
    return view(session.state);
  }

  /** The order in which waiting prompts begin; each is named once. */
  async reorder(caller: Caller, id: string, order: readonly string[]): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    await session.execute({ type: "reorder", order }, this.#audit(caller, "session.reorder", id));
    return view(session.state);
  }

  /** Sends a waiting prompt into the running turn. If the turn ends before it takes it, the prompt begins next. */
  async sendNow(caller: Caller, id: string, turn_id: string): Promise<SessionView> {
    const session = await this.#session(caller, "session.control", id);
    refuseUnsteerable(session);
    const { prompt } = await this.#queued(session, turn_id);
    if (prompt.max_cost_microusd !== undefined)
      throw new Failure("conflict", "this prompt has a limit of its own, which a running turn could not keep");
    const beside = this.#audit(caller, "session.send_now", id, { turn_id });
    await session.execute({ type: "send_now", turn_id }, beside);
    return view(session.state);
  }

  async #queued(session: Session, turn_id: string): ReturnType<typeof queuedPrompt> {
    await session.settled();
    const queued = session.state.queue.find((waiting) => waiting.turn_id === turn_id);
    if (queued === undefined)
      throw new Failure("not_found", "this prompt does not wait any more; it began or was removed");
    return queuedPrompt(this.#parts.dependencies.store.read, session.state, queued.seq);
  }

  async #session(caller: Caller, capability: "session.read" | "session.control", id: string): Promise<Session> {
    authorize(caller, capability);
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, capability, { state: session.state, what: `session ${id}` });
    return session;
  }

  #audit(caller: Caller, action: string, target: string, details?: unknown): Beside {
    return { audit: [auditRow(this.#parts.dependencies, caller, { action, target, details })] };
  }
}
