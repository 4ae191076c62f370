import {
  methods,
  RequestError,
  type AgentContext,
  type PromptResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { SallyportClient } from "../../client/index.ts";
import {
  Failure,
  isTerminal,
  LIMITS,
  type Approval,
  type Decision,
  type JournalEvent,
  type Prompt,
  type SessionView,
} from "../../protocol/index.ts";
import { requestError } from "./failures.ts";
import { answered, askedOf, type Answer } from "./permission.ts";
import { Translator } from "./translator.ts";

export interface SessionOptions {
  readonly client: SallyportClient;
  readonly editor: AgentContext;
  readonly view: SessionView;
  /** This token may answer approvals; otherwise they are for somebody else. */
  readonly mayDecide: boolean;
  /** The editor shows notices. */
  readonly notices: boolean;
  /** Words for the log. */
  readonly complain: (words: string) => void;
}

type TurnEnd = Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }>;

interface Waiter {
  readonly resolve: (response: PromptResponse) => void;
  readonly reject: (error: RequestError) => void;
}

/** An answer to a question that somebody else answered first, or that nobody waits for any more. */
const TOO_LATE = new Set(["already_answered", "timed_out", "conflict", "not_found", "session_closed"]);

/** One session that an editor has open: shows what happens in it, whoever caused it, and asks its questions. */
export class AcpSession {
  readonly #options: SessionOptions;
  readonly #translator: Translator;
  readonly #closing = new AbortController();
  /** Turns that this editor began and that have not ended. */
  readonly #turns = new Map<string, Waiter>();
  readonly #asking = new Map<string, AbortController>();
  readonly #notices: SessionUpdate[] = [];
  /** Resolves when it is known which turn each prompt that is on its way became. */
  #accepting: Promise<unknown> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();
  /** The last event that needs not be shown any more. */
  #shown: number;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#shown = options.view.seq;
    this.#translator = new Translator({
      workspace: options.view.settings.workspace,
      isOwn: (turn_id) => this.#turns.has(turn_id),
      notices: options.notices,
    });
  }

  get id(): string {
    return this.#options.view.id;
  }

  /** Shows everything from here on. */
  start(): void {
    this.#following = this.#follow();
  }

  /** Shows the journal up to now. The answer: the questions that are open. */
  async replay(): Promise<readonly string[]> {
    const { client, view } = this.#options;
    const open = new Set<string>();
    let after = 0;
    while (after < view.seq) {
      const page = await client.events(this.id, { after, limit: LIMITS.watchPageEvents });
      for (const event of page.events) {
        await this.#show(event);
        if (event.type === "approval.requested") open.add(event.approval.id);
        else if (event.type === "approval.resolved") open.delete(event.approval_id);
        after = event.seq;
      }
      // The newest events may only be on their way to the disk: they come when it is followed.
      if (page.events.length === 0) break;
    }
    this.#shown = after;
    return [...open];
  }

  /** Asks what was already open when the editor came. */
  async askAgain(ids: readonly string[]): Promise<void> {
    const { client } = this.#options;
    const approvals = await Promise.all(ids.map((id) => client.approval(id)));
    for (const approval of approvals) if (approval.status === "pending") void this.#ask(approval);
  }

  /** To be said with the next prompt: an editor does not know a session before it has its id. */
  sayLater(words: string): void {
    this.#notices.push(this.#translator.notice("warning", words));
  }

  /** Resolves when the turn has ended and the editor has all of it. */
  async prompt(prompt: Prompt, signal: AbortSignal): Promise<PromptResponse> {
    for (const notice of this.#notices.splice(0)) await this.#tell(notice);
    const begun = this.#begin(prompt);
    this.#accepting = Promise.allSettled([this.#accepting, begun]);
    const { ended } = await begun;
    const stop = (): void => {
      // Aborted for another reason, the editor is gone: a turn goes on without it.
      if (signal.reason instanceof RequestError) this.cancel().catch((error: unknown) => this.#complain(error));
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await ended;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async cancel(): Promise<void> {
    await this.#accepting;
    if (this.#turns.size === 0) return;
    const { client } = this.#options;
    const { turn_id: open, queue } = await client.session(this.id);
    // Each prompt of this editor ends. What others have in the queue is held until somebody resumes it.
    for (const { turn_id } of queue)
      if (this.#turns.has(turn_id))
        await client.removePrompt(this.id, turn_id).catch((error: unknown) => this.#complain(error));
    if (open !== undefined && this.#turns.has(open)) await client.interrupt(this.id, { hold_queue: true });
  }

  /** Shows nothing more. With `interrupt` the turns that this editor began end too. */
  async close({ interrupt }: { readonly interrupt: boolean }): Promise<void> {
    if (interrupt) await this.cancel().catch((error: unknown) => this.#complain(error));
    this.#closing.abort();
    for (const asking of this.#asking.values()) asking.abort();
    await this.#following;
  }

  async #begin(prompt: Prompt): Promise<{ readonly ended: Promise<PromptResponse> }> {
    const { turn_id } = await this.#options.client.prompt(this.id, prompt);
    const ended = new Promise<PromptResponse>((resolve, reject) => this.#turns.set(turn_id, { resolve, reject }));
    // Whoever asked may be gone before the turn ends.
    ended.catch(() => undefined);
    if (this.#closing.signal.aborted) this.#fail(new Failure("session_closed", "the session is no longer open here"));
    return { ended };
  }

  async #follow(): Promise<void> {
    const { client } = this.#options;
    // A little earlier: the newest events may not be on the disk yet, and so not be a place to begin at.
    const after = Math.max(0, this.#shown - LIMITS.watchPageEvents);
    try {
      for await (const frame of client.watch(this.id, { after, signal: this.#closing.signal })) {
        if ("seq" in frame && frame.seq <= this.#shown) continue;
        if ("seq" in frame) await this.#show(frame);
        else for (const update of this.#translator.take(frame)) await this.#tell(update);
        if ("seq" in frame) this.#react(frame);
      }
      this.#fail(new Failure("session_closed", "the session has ended; start a new one"));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #show(event: JournalEvent): Promise<void> {
    if (event.type === "turn.started" || isTerminal(event)) await this.#accepting;
    for (const update of this.#translator.take(event)) await this.#tell(update);
  }

  #react(event: JournalEvent): void {
    if (event.type === "approval.requested") void this.#ask(event.approval);
    else if (event.type === "approval.resolved") this.#asking.get(event.approval_id)?.abort();
    else if (isTerminal(event)) this.#end(event);
  }

  #end(event: TurnEnd): void {
    const waiter = this.#turns.get(event.turn_id);
    this.#turns.delete(event.turn_id);
    const answer = endOf(event);
    if (answer instanceof RequestError) waiter?.reject(answer);
    else waiter?.resolve(answer);
  }

  #fail(error: unknown): void {
    const refusal = requestError(error);
    for (const waiter of this.#turns.values()) waiter.reject(refusal);
    this.#turns.clear();
  }

  async #tell(update: SessionUpdate): Promise<void> {
    await this.#options.editor.notify(methods.client.session.update, { sessionId: this.id, update });
  }

  async #ask(approval: Approval): Promise<void> {
    const { client, mayDecide } = this.#options;
    if (this.#asking.has(approval.id)) return;
    const asking = new AbortController();
    this.#asking.set(approval.id, asking);
    try {
      if (!mayDecide) {
        await this.#tell(this.#translator.notice("warning", `${approval.tool} waits for somebody who may approve it`));
        return;
      }
      const decision = await this.#decision(approval, asking.signal);
      if (decision !== undefined && !asking.signal.aborted) await client.decide(approval.id, decision);
    } catch (error) {
      const late = asking.signal.aborted || (error instanceof Failure && TOO_LATE.has(error.code));
      if (!late) this.#complain(error, `approval ${approval.id} stays open; answer it elsewhere`);
    } finally {
      this.#asking.delete(approval.id);
    }
  }

  /** What the person chose; undefined: nothing, and somebody else may still answer. */
  async #decision(approval: Approval, signal: AbortSignal): Promise<Decision | undefined> {
    const answers: Answer[] = [];
    for (const { request, chosen } of askedOf(approval, this.#options.view.settings.workspace)) {
      const { outcome } = await this.#options.editor.request(methods.client.session.requestPermission, request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      const choice = outcome.outcome === "selected" ? chosen(outcome.optionId) : undefined;
      if (choice === undefined || "decision" in choice) return choice;
      answers.push(choice);
    }
    return answered(approval, answers);
  }

  #complain(error: unknown, words = "a request failed"): void {
    this.#options.complain(
      `session ${this.id}: ${words}: ${error instanceof Error ? error.message : "no reason was given"}`,
    );
  }
}

/** How a turn ended, in an editor's words; what it has none for is an error. */
function endOf(event: TurnEnd): PromptResponse | RequestError {
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
