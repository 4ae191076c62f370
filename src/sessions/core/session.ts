import { SERVER_STOPS, type Conversation, type EngineEvent, type TurnChannel } from "../../engines/index.ts";
import {
  Failure,
  LIMITS,
  SYSTEM,
  type Approval,
  type ErrorDetail,
  type EventBody,
  type Interrupt,
  type JournalEvent,
  type PrincipalRef,
  type Prompt,
  type PromptAccepted,
} from "../../protocol/index.ts";
import type { Write } from "../../store/index.ts";
import { append } from "./append.ts";
import { passCheckpoints } from "./checkpoints.ts";
import type { ApprovalAnswer, SessionCommand, TurnChange } from "./commands.ts";
import { decide, withStopper, type EndTurnCommand } from "./decide.ts";
import { stoppingFailure, TurnActivity } from "../lifecycle/drain.ts";
import { expireQuestion } from "../permission/expiry.ts";
import { ChangeReviews } from "../permission/change-review.ts";
import type { Frame } from "./frames.ts";
import { LiveText } from "./live-text.ts";
import { beginAgain, keepsProcess, openConversation, recoverTurn, type Begin, type TurnStart } from "./opening.ts";
import { engineFailure } from "./engine-failure.ts";
import { Outbox } from "./outbox.ts";
import { PermittedCalls } from "../permission/permitted-calls.ts";
import { Pauses } from "./pauses.ts";
import { SessionBudget } from "../budget/session-budget.ts";
import { Questions } from "./questions.ts";
import { HOLD_UNREAD, readQueued } from "./queued-prompt.ts";
import type { Dependencies, SessionEnvironment } from "../dependencies.ts";
import { environmentRequest } from "../workspace/environment-request.ts";
import { SessionServers } from "../mcp/session-servers.ts";
import { HeldEnvironment } from "../workspace/held-environment.ts";
import { SessionInstructions } from "../workspace/session-instructions.ts";
import { SessionRecording } from "../workspace/session-recording.ts";
import { isFinal, nextInQueue, type GivenAnswer, type SessionState } from "./state.ts";
import {
  isAsked,
  isPatient,
  refusalWhileStalled,
  refuseNewWork,
  refuseWhileStalled,
  reservesSoon,
  untilStoredOrStalled,
} from "./storing.ts";
import { takeSteered } from "./steering.ts";
import { LiveStream } from "./stream.ts";
import { routeTurn } from "../routing/router.ts";

/** Rows that are committed together with the session's own. */
export type Beside = Pick<Write, "receipts" | "audit" | "documents">;

/**
 * One session: the only writer of its journal. A command is decided and folded at once, in order. Its effects
 * (watchers, answers, tools) wait until it is on the disk.
 */
export class Session {
  readonly dependencies: Dependencies;
  readonly stream: LiveStream;
  readonly questions: Questions;
  readonly budget: SessionBudget;
  /** It is about to be deleted: it can no longer be forked. */
  deleted = false;
  /** The turn that began before the last restart. */
  resumedTurn: string | undefined;
  /** Calls of the open turn that may run. */
  readonly permitted = new PermittedCalls();
  readonly activity: TurnActivity;
  readonly recording = new SessionRecording(this);
  readonly instructions: SessionInstructions = new SessionInstructions(this);
  readonly servers = new SessionServers(this);
  readonly #outbox: Outbox;
  readonly #liveText: LiveText;
  #state: SessionState;
  /** The state as it is on the disk. */
  #stored: SessionState;
  #lastCommit: Promise<void> = Promise.resolve();
  #conversation: Promise<Conversation> | undefined;
  readonly #environment: HeldEnvironment;
  #controller: AbortController | undefined;
  #stoppedBy: PrincipalRef | undefined;
  #work: Promise<void> = Promise.resolve();
  #closing = false;
  #halted = false;
  /** The store refused a write: another object of this server takes the session up. */
  #isLost = false;
  #stopping: Promise<void> | undefined;
  readonly #pauses = new Pauses();
  readonly #reviews = new ChangeReviews(this);
  /** Identifies the writes of this object: after one was refused, the store refuses all later ones. */
  readonly #chain: string;

  constructor(dependencies: Dependencies, state: SessionState, pending: readonly Approval[] = []) {
    this.dependencies = dependencies;
    this.#state = state;
    this.#stored = state;
    this.#chain = dependencies.newId("req");
    this.budget = new SessionBudget(this);
    this.activity = new TurnActivity(dependencies);
    this.stream = new LiveStream(state.seq);
    this.#environment = new HeldEnvironment((signal) => dependencies.openEnvironment(environmentRequest(this, signal)));
    this.#outbox = new Outbox((frames) => this.#publish(frames));
    this.#liveText = new LiveText({ ...dependencies, outbox: this.#outbox, sessionId: () => this.#state.id });
    this.questions = new Questions(dependencies.clock, (approval_id) => void expireQuestion(this, approval_id));
    for (const approval of pending) this.questions.add(approval);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The state on the disk. It is behind `state` while a commit is under way. */
  get stored(): SessionState {
    return this.#stored;
  }

  /** Nothing would be lost without this object: no turn, no watcher, no shell. */
  get evictable(): boolean {
    const isIdle = this.#state.turn === undefined && !this.#reviews.isBusy && this.stream.watchers === 0;
    return isIdle && this.#outbox.empty && !this.#environment.isOpen && !this.recording.isBusy;
  }

  /** Decides, folds and commits; resolves when it is on the disk. A refusal rejects and changes nothing. */
  execute(command: SessionCommand, beside: Beside = {}): Promise<void> {
    const refusal = isAsked(command) ? refusalWhileStalled(this.dependencies) : undefined;
    const events = refusal ?? decide(this.#state, command);
    if (events instanceof Failure) return Promise.reject(events);
    return this.#append(events, { beside, patient: isPatient(command) });
  }

  /** Takes a prompt: a turn begins, or it waits in the queue. */
  async prompt(
    prompt: Prompt,
    by: PrincipalRef,
    { beside, now }: { readonly beside?: (accepted: PromptAccepted) => Beside; readonly now?: boolean } = {},
  ): Promise<PromptAccepted> {
    if (this.#closing) throw new Failure("session_closed", `session ${this.#state.id} is closing`);
    refuseNewWork(this.dependencies);
    const turn_id = this.dependencies.newId("turn");
    const events = decide(this.#state, { type: "prompt", turn_id, prompt, by, now });
    if (events instanceof Failure) throw events;
    const accepted = { turn_id, seq: this.#state.seq + 1, queued: events[0]?.type === "turn.queued" };
    const durable = this.#append(events, { beside: beside?.(accepted), patient: reservesSoon(this, accepted) });
    this.dependencies.reach(accepted.queued ? "queue.decided" : "prompt.decided");
    const begin: Begin = (conversation, channel) => conversation.turn(prompt, channel);
    if (!accepted.queued) this.#drive({ turn_id, upto: accepted.seq - 1, begin });
    await durable;
    this.dependencies.reach(accepted.queued ? "queue.durable" : "prompt.durable");
    return accepted;
  }

  /** Ends the open turn; resolves when it has ended. False: there was none. `by` absent: no person stopped it. */
  async interrupt({ by, hold_queue = false }: Interrupt & { readonly by?: PrincipalRef } = {}): Promise<boolean> {
    const { turn } = this.#state;
    if (this.#halted) throw stoppingFailure();
    // Immediately: when the turn ends, the queue must already be held.
    const held = hold_queue && !isFinal(this.#state.status) ? this.execute({ type: "hold" }) : undefined;
    if (turn === undefined) return held === undefined ? false : held.then(() => false);
    this.#stoppedBy = by;
    this.dependencies.reach("interrupt.requested");
    this.#controller?.abort();
    this.#environment.stopWaiting();
    for (const approval_id of this.questions.ids()) {
      const answer = { approval_id, outcome: "cancelled", by: SYSTEM } as const;
      this.execute({ type: "answer", answer }).catch(() => undefined);
    }
    let cancelTimer = (): void => undefined;
    const overdue = new Promise<void>((resolve) => {
      cancelTimer = this.dependencies.clock.after(LIMITS.killGraceMs, () => {
        this.#fail(turn.id, { code: "aborted", message: "aborted" });
        void this.#forgetConversation();
        this.#advance();
        resolve();
      });
    });
    await Promise.race([Promise.all([this.#work, held]), overdue]);
    cancelTimer();
    return true;
  }

  pause(beside?: Beside): Promise<void> {
    return this.execute({ type: "pause" }, beside);
  }

  async unpause(beside?: Beside): Promise<void> {
    const durable = this.execute({ type: "unpause" }, beside);
    this.#pauses.end();
    this.#advance();
    await durable;
  }

  /** Resolves when the session is not paused, or the signal is aborted. */
  unpaused(signal: AbortSignal): Promise<void> {
    return this.#pauses.over(() => !this.#state.paused, signal);
  }

  /** Ends the session for good: the open turn, the queue, every process. */
  async close(beside?: Beside): Promise<void> {
    if (isFinal(this.#state.status)) return;
    refuseWhileStalled(this.dependencies);
    this.#closing = true;
    await this.interrupt();
    if (isFinal(this.#state.status)) return;
    const durable = this.execute({ type: "close" }, beside);
    this.dependencies.reach("close.decided");
    await durable;
    this.dependencies.reach("close.durable");
    await this.#release("for good");
  }

  /** The server stops: nothing more is written, processes end, the turn stays open for the next start. */
  async halt(): Promise<void> {
    const stopped = this.stopWork();
    this.stream.endStream();
    await stopped.then(() => Promise.all([this.#release(), this.recording.settled()]));
    await untilStoredOrStalled(this.dependencies, this.#lastCommit, LIMITS.storeCloseMs);
  }

  /** Like `halt`, but watchers may go on reading. */
  stopWork(): Promise<void> {
    this.#halted = true;
    this.questions.stopClocks();
    this.#controller?.abort(this.#isLost ? undefined : SERVER_STOPS);
    return (this.#stopping ??= this.#release());
  }

  /** Between turns: frees what is kept only for speed. The journal restores the conversation. */
  async rest(): Promise<void> {
    if (this.#state.turn !== undefined) return;
    // An engine's own process is no reason to stay in memory: it is restarted when needed.
    await this.#forgetConversation();
    await this.servers.close();
    if ((await this.#environment.isBusy()) || this.#state.turn !== undefined) return;
    await this.#release();
  }

  /** A person's answer to a question, or its timeout. The first one wins. */
  async answer(answer: ApprovalAnswer, beside?: Beside): Promise<void> {
    this.dependencies.reach("answer.received");
    const durable = this.execute({ type: "answer", answer }, beside);
    this.dependencies.reach("answer.decided");
    await durable;
    this.dependencies.reach("answer.durable");
  }

  /** The answer to a question of the open turn. */
  answered(approval_id: string, tool_use_id: string): Promise<GivenAnswer> {
    const given = this.#state.turn?.asked[tool_use_id]?.answer;
    return given === undefined ? this.questions.wait(approval_id) : Promise.resolve(given);
  }

  /** After a restart: writes what the last run could not, before any command is accepted. `start` then continues. */
  recover(): Promise<void> {
    return recoverTurn(this);
  }

  /** Continues the turn that `recover` found, or the queue. */
  start(): void {
    const turn = this.#state.turn;
    if (turn === undefined) {
      this.#advance();
      return;
    }
    this.resumedTurn = turn.id;
    this.#drive({ turn_id: turn.id, upto: this.#state.seq, begin: beginAgain(turn) });
  }

  environment(): Promise<SessionEnvironment> {
    return this.#environment.get();
  }

  /** Resolves when everything decided so far is on the disk. */
  settled(): Promise<void> {
    return this.#lastCommit;
  }

  /** Starts the engine before the session has an owner. Nothing is written. */
  async prepare(): Promise<void> {
    await (await this.#converse(this.#state.seq)).warm?.();
  }

  /** Gives a prepared session its owner. */
  become(state: SessionState): void {
    this.#state = state;
    this.#stored = state;
  }

  #append(
    events: readonly EventBody[],
    { beside = {}, patient }: { readonly beside?: Beside | undefined; readonly patient?: boolean },
  ): Promise<void> {
    if (this.#halted) return Promise.reject(stoppingFailure());
    if (events.length === 0 && Object.values(beside).every((rows) => rows === undefined)) return this.#lastCommit;
    const { state, frames, write } = append(this, events);
    this.activity.sign();
    this.#state = state;
    const publish = this.#outbox.journaled(frames);
    const committed = this.dependencies.store.commit(
      { ...write, ...beside },
      { patient, untilStored: true, chain: this.#chain },
    );
    this.#lastCommit = committed.then(() => {
      this.#stored = state;
      publish();
    });
    this.#lastCommit.catch((error: unknown) => this.#lose(error));
    return this.#lastCommit;
  }

  /** The store refused what was already folded: this object differs from the disk. A new one continues from there. */
  #lose(error: unknown): void {
    if (this.#halted) return;
    this.#halted = true;
    this.#isLost = true;
    this.dependencies.log.error(
      { session: this.#state.id, err: error, stored_seq: this.#stored.seq, lost_seq: this.#state.seq },
      "the store refused a write: the session stops and goes on from what is stored",
    );
    this.dependencies.reload(this);
  }

  #publish(frames: readonly Frame[]): void {
    this.stream.publish(frames);
    for (const { seq, value: event } of frames) {
      if (seq !== undefined) this.dependencies.observe(event as JournalEvent, this.#state);
      if (event.type === "approval.resolved") this.questions.settle(event.approval_id, event);
    }
  }

  #drive(turn: TurnStart): void {
    const controller = new AbortController();
    this.#controller = controller;
    this.#stoppedBy = undefined;
    this.permitted.clear();
    this.#liveText.reset();
    this.#work = this.#run(turn, controller.signal).then(() => {
      this.dependencies.processes.end(this);
      if (!this.#halted) void this.dependencies.held?.endLeft(this.#state.id);
      if (this.#controller !== controller) return;
      this.#controller = undefined;
      this.#advance();
    });
  }

  async #run({ turn_id, upto, begin }: TurnStart, signal: AbortSignal): Promise<void> {
    try {
      if (keepsProcess(this)) this.dependencies.processes.begin(this);
      await routeTurn(this, { isResumed: this.resumedTurn === turn_id });
      const [conversation] = await Promise.all([this.#converse(upto), this.servers.begin(signal)]);
      this.execute({ type: "instruct", ...this.instructions.told }).catch(() => undefined);
      this.dependencies.reach("engine.opened");
      await begin(conversation, this.#channel(turn_id, signal));
      this.#fail(turn_id, { code: "engine_failed", message: "the engine stopped without saying how the turn ended" });
    } catch (error) {
      void this.#forgetConversation();
      if (!this.#halted) this.#fail(turn_id, engineFailure(this, error));
    }
  }

  /** The conversation, with the workspace's present instructions. If they changed, the conversation continues in a new one. */
  async #converse(upto: number): Promise<Conversation> {
    if ((await this.instructions.refresh()) && this.#conversation !== undefined) await this.#forgetConversation();
    return (this.#conversation ??= openConversation(this, upto));
  }

  #channel(turn_id: string, signal: AbortSignal): TurnChannel {
    const tell: TurnChannel["tell"] = (events) => {
      this.#absorb(turn_id, events);
      return this.#room();
    };
    return { signal, tell, steered: () => takeSteered(this, turn_id) };
  }

  /** The engine waits while the disk is unavailable or far behind. */
  async #room(): Promise<void> {
    const isAhead = this.#outbox.unwritten > LIMITS.unwrittenChars;
    if (isAhead || this.dependencies.store.health().stall !== undefined) await this.#lastCommit.catch(() => undefined);
  }

  /** One batch of the engine's events, journaled together. Events of a turn that has ended are dropped. */
  #absorb(turn_id: string, events: readonly EngineEvent[]): void {
    if (this.#halted || this.#state.turn?.id !== turn_id) return;
    let changes: TurnChange[] = [];
    const keep = (): void => {
      if (changes.length > 0)
        passCheckpoints(this.dependencies, this.execute({ type: "progress", changes }), { changes });
      changes = [];
    };
    for (const event of events) {
      switch (event.type) {
        case "item.completed":
          // The live text ends before this batch is committed: the item began in an earlier one.
          this.#liveText.end(event.item);
          if (event.item.type === "compaction") this.instructions.forgetNested();
          changes.push(event);
          break;
        case "item.started":
        case "item.updated":
        case "usage":
          if (event.type === "item.started") this.#liveText.begin(event.item);
          changes.push(event);
          break;
        case "item.delta":
          keep();
          this.dependencies.reach("model.first_token");
          this.#liveText.add(event);
          break;
        case "notice":
          keep();
          void this.execute({ type: "notice", message: event.message }).catch(() => undefined);
          break;
        case "turn.completed":
          return this.#end({ ...event, type: "complete", changes });
        case "turn.failed":
          return this.#end({ ...event, type: "fail", changes });
      }
    }
    keep();
  }

  #fail(turn_id: string, error: ErrorDetail): void {
    if (this.#halted || this.#state.turn?.id !== turn_id) return;
    this.#end({ type: "fail", changes: [], error });
  }

  #end(command: EndTurnCommand): void {
    const { changes } = command;
    passCheckpoints(this.dependencies, this.execute(withStopper(command, this.#stoppedBy)), { changes, ends: true });
  }

  /** Begins the next prompt of the queue, if there is one and nothing prevents it. Else changes may have to be reviewed. A job ends with its turn. */
  #advance(): void {
    if (isFinal(this.#state.status)) return void this.#release("for good");
    this.#reviews.look();
    const next = nextInQueue(this.#state);
    if (next === undefined || !this.#mayBegin(next.seq)) return;
    this.#work = this.#take(next.turn_id, next.seq).catch((error: unknown) => {
      this.dependencies.log.error({ session: this.#state.id, err: error }, "a queued prompt could not begin");
    });
  }

  /** `seq`: the event with the prompt. */
  #mayBegin(seq: number): boolean {
    if (this.#halted || this.#closing || this.dependencies.drain.isStarted) return false;
    return this.#state.turn === undefined && !this.#state.paused && nextInQueue(this.#state)?.seq === seq;
  }

  async #take(turn_id: string, seq: number): Promise<void> {
    const event = await readQueued(this, seq);
    // Meanwhile it may have been changed, removed, or moved.
    if (!this.#mayBegin(seq)) return this.#advance();
    if (event === undefined) return this.execute(HOLD_UNREAD);
    const upto = this.#state.seq;
    this.execute({ type: "dequeue", turn_id, prompt: event.prompt, by: event.by }).catch(() => undefined);
    this.dependencies.reach("queue.taken");
    this.#drive({ turn_id, upto, begin: (conversation, channel) => conversation.turn(event.prompt, channel) });
    await this.#work;
  }

  /** Resolves when it is closed; a caller that needs a new one need not wait. */
  async #forgetConversation(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    this.budget.close();
    await conversation?.then((open) => open.close()).catch(() => undefined);
  }

  /** Ends everything that the session holds outside the journal. */
  async #release(forGood?: "for good"): Promise<void> {
    void this.#forgetConversation();
    await this.servers.close();
    await this.#environment.close(forGood);
    if (forGood === undefined) return;
    // Watchers get what is still on its way to the disk.
    await this.#lastCommit.catch(() => undefined);
    this.stream.endStream();
  }
}
