import {
  methods,
  RequestError,
  type AgentContext,
  type AvailableCommand,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionConfigOption,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { SallyportClient } from "../../client/index.ts";
import {
  BUDGET_TOOL,
  REVIEW_TOOL,
  defined,
  Failure,
  isTerminal,
  LIMITS,
  type Approval,
  type ConfigureSession,
  type Decision,
  type JournalEvent,
  type Prompt,
  type SessionView,
} from "../../protocol/index.ts";
import {
  COMMANDS,
  commandIn,
  contextText,
  modelText,
  modeText,
  usageText,
  workspaceCommands,
  type SlashCommand,
} from "./commands.ts";
import { configOptions, modeOf, type Configurable } from "./config-options.ts";
import { requestError } from "./failures.ts";
import { answered, askedOf, choiceIn, NO_CHOICE, type QuestionAnswer, type EditorChoice } from "./permission.ts";
import { EditorTranslator } from "./translator.ts";
import { endOf, type TurnEndEvent } from "./turn-end.ts";
import { withHiddenNamed } from "./visible-text.ts";

export interface EditorSessionOptions {
  readonly client: SallyportClient;
  readonly editor: AgentContext;
  readonly view: SessionView;
  /** The models that the session can switch to. */
  readonly models: readonly string[];
  /** This token may answer approvals; otherwise somebody else must. */
  readonly mayDecide: boolean;
  /** The editor shows notices. */
  readonly notices: boolean;
  /** For the log. */
  readonly complain: (words: string) => void;
}

interface PromptWaiter {
  readonly resolve: (response: PromptResponse) => void;
  readonly reject: (error: RequestError) => void;
}

/** The answer came too late: somebody else answered first, or nobody waits any more. */
const TOO_LATE = new Set([
  "already_answered",
  "timed_out",
  "conflict",
  "not_found",
  "session_closed",
  // Another question about the same call follows.
  "input_changed",
]);

const NOT_OFFERED = "the editor gave an answer that was not offered";

/** The outcome of a question to the editor. `closed`: why nobody there will answer it. */
type EditorReply = { readonly decision: Decision } | { readonly closed: string };

/** One session that an editor has open: shows what happens in it, whatever the cause, and asks its questions. */
export class AcpSession {
  readonly #options: EditorSessionOptions;
  readonly #translator: EditorTranslator;
  readonly #closing = new AbortController();
  /** Unfinished turns that this editor started. */
  readonly #turns = new Map<string, PromptWaiter>();
  readonly #asking = new Map<string, AbortController>();
  readonly #notices: SessionUpdate[] = [];
  /** Turns that were ended from here, and what the editor gets for them. */
  readonly #stopped = new Map<string, PromptResponse | RequestError>();
  #settings: Configurable;
  /** Resolves when the last cancellation has reached the server. */
  #cancelling: Promise<unknown> = Promise.resolve();
  /** Resolves when each pending prompt has its turn. */
  #accepting: Promise<unknown> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();
  /** The last event that need not be shown any more. */
  #shown: number;

  constructor(options: EditorSessionOptions) {
    this.#options = options;
    this.#shown = options.view.seq;
    this.#settings = options.view.settings;
    this.#translator = new EditorTranslator({
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
    // After the pending answer: an editor does not know a session before it has its id.
    setImmediate(() => {
      this.#offerCommands().catch((error: unknown) => this.#complain(error));
    });
  }

  /** Ours at once, those of the workspace when they are known. */
  async #offerCommands(): Promise<void> {
    const offer = (availableCommands: AvailableCommand[]): Promise<void> =>
      this.#tell({ sessionUpdate: "available_commands_update", availableCommands });
    await offer([...COMMANDS]);
    const found = workspaceCommands(await this.#options.client.sessionCommands(this.id));
    if (found.length > 0) await offer([...COMMANDS, ...found]);
  }

  configOptions(): SessionConfigOption[] {
    return configOptions(this.#settings, this.#options.models);
  }

  /** Changes how the session runs from now on. */
  async configure(change: ConfigureSession): Promise<void> {
    this.#settings = (await this.#options.client.configure(this.id, change)).settings;
  }

  /** Shows the journal up to now. Returns the open questions. */
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
      // The newest events may not be on the disk yet: they come when the session is followed.
      if (page.events.length === 0) break;
    }
    this.#shown = after;
    return [...open];
  }

  /** Asks the questions that were already open when the editor connected. */
  async askAgain(ids: readonly string[]): Promise<void> {
    const { client } = this.#options;
    const approvals = await Promise.all(ids.map((id) => client.approval(id)));
    for (const approval of approvals) if (approval.status === "pending") void this.#ask(approval);
  }

  /** Shown with the next prompt: an editor does not know a session before it has its id. */
  sayLater(words: string): void {
    this.#notices.push(this.#translator.notice("warning", words));
  }

  /** Resolves when the turn has ended and the editor has all of it. */
  async prompt(prompt: Prompt, signal: AbortSignal): Promise<PromptResponse> {
    for (const notice of this.#notices.splice(0)) await this.#tell(notice);
    const command = commandIn(prompt);
    const wanted = command === undefined ? prompt : await this.#run(command, prompt);
    if (wanted === undefined) return { stopReason: "end_turn" };
    const begun = this.#begin(wanted);
    this.#accepting = Promise.allSettled([this.#accepting, begun]);
    const { ended } = await begun;
    const stop = (): void => {
      // Any other abort reason means that the editor is gone: a turn continues without it.
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
    const cancelled = this.#interrupt();
    this.#cancelling = cancelled.catch(() => undefined);
    await cancelled;
  }

  async #interrupt(): Promise<void> {
    await this.#accepting;
    if (this.#turns.size === 0) return;
    const open = await this.#unqueue();
    if (open !== undefined && this.#turns.has(open))
      await this.#options.client.interrupt(this.id, { hold_queue: true });
  }

  /** Ends each waiting prompt of this editor. Other clients' prompts stay. Returns the open turn. */
  async #unqueue(): Promise<string | undefined> {
    const { client } = this.#options;
    const { turn_id: open, queue } = await client.session(this.id);
    for (const { turn_id } of queue)
      if (this.#turns.has(turn_id))
        await client.removePrompt(this.id, turn_id).catch((error: unknown) => this.#complain(error));
    return open;
  }

  /** What remains for the model; undefined: nothing, the command is done. */
  async #run({ name, rest }: SlashCommand, prompt: Prompt): Promise<Prompt | undefined> {
    const { client, models } = this.#options;
    switch (name) {
      case "plan":
        await this.configure({ permission_mode: "plan" });
        if (rest !== "") return { ...prompt, text: rest };
        return this.#say("The mode is plan: the agent reads and plans, and changes nothing.");
      case "mode":
        if (rest !== "") await this.configure({ permission_mode: modeOf(rest) });
        return this.#say(modeText(this.#settings));
      case "model":
        if (rest !== "") await this.configure({ model: rest });
        return this.#say(modelText(this.#settings, models));
      case "context":
        return this.#say(contextText(await client.sessionContext(this.id)));
      case "usage":
        return this.#say(usageText(await client.sessionUsage(this.id)));
    }
  }

  async #say(text: string): Promise<undefined> {
    await this.#tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** Shows nothing more. With `interrupt` the turns that this editor started end too. */
  async close({ interrupt }: { readonly interrupt: boolean }): Promise<void> {
    if (interrupt) await this.cancel().catch((error: unknown) => this.#complain(error));
    this.#closing.abort();
    for (const asking of this.#asking.values()) asking.abort();
    await this.#following;
  }

  async #begin(prompt: Prompt): Promise<{ readonly ended: Promise<PromptResponse> }> {
    const { turn_id } = await this.#options.client.prompt(this.id, prompt);
    const ended = new Promise<PromptResponse>((resolve, reject) => this.#turns.set(turn_id, { resolve, reject }));
    // The caller may be gone before the turn ends.
    ended.catch(() => undefined);
    if (this.#closing.signal.aborted) this.#fail(new Failure("session_closed", "the session is no longer open here"));
    return { ended };
  }

  async #follow(): Promise<void> {
    const { client } = this.#options;
    // A little earlier: the newest events may not be on the disk yet, so no stream could begin there.
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
    if (event.type === "turn.started" || event.type === "turn.steered" || isTerminal(event)) await this.#accepting;
    for (const update of this.#translator.take(event)) await this.#tell(update);
  }

  #react(event: JournalEvent): void {
    if (event.type === "approval.requested") void this.#ask(event.approval);
    else if (event.type === "session.updated") this.#configured(event);
    else if (event.type === "approval.resolved") this.#asking.get(event.approval_id)?.abort();
    else if (event.type === "turn.steered") this.#steered(event);
    else if (isTerminal(event)) this.#end(event);
  }

  /** Somebody sent a prompt of this editor into the running turn: it ends with that turn. */
  #steered({ prompt_id, turn_id }: Extract<JournalEvent, { type: "turn.steered" }>): void {
    const waiter = this.#turns.get(prompt_id);
    if (waiter === undefined) return;
    this.#turns.delete(prompt_id);
    const first = this.#turns.get(turn_id);
    const both: PromptWaiter = {
      resolve: (response) => {
        first?.resolve(response);
        waiter.resolve(response);
      },
      reject: (error) => {
        first?.reject(error);
        waiter.reject(error);
      },
    };
    this.#turns.set(turn_id, both);
  }

  /** Somebody changed how the session runs. */
  #configured(event: Extract<JournalEvent, { type: "session.updated" }>): void {
    const { model, autonomy, permission_mode, ask_reads } = event;
    if (model === undefined && autonomy === undefined && ask_reads === undefined) return;
    const { permission_mode: before, ...kept } = this.#settings;
    const mode = autonomy === undefined ? before : permission_mode;
    this.#settings = {
      ...kept,
      ...defined({ model, autonomy, permission_mode: mode, ask_reads }),
    };
    const update: SessionUpdate = { sessionUpdate: "config_option_update", configOptions: this.configOptions() };
    this.#tell(update).catch((error: unknown) => this.#complain(error));
  }

  #end(event: TurnEndEvent): void {
    const waiter = this.#turns.get(event.turn_id);
    this.#turns.delete(event.turn_id);
    const answer = this.#stopped.get(event.turn_id) ?? endOf(event);
    this.#stopped.delete(event.turn_id);
    if (answer instanceof RequestError) waiter?.reject(answer);
    else waiter?.resolve(answer);
  }

  #fail(error: unknown): void {
    const refusal = requestError(error);
    for (const waiter of this.#turns.values()) waiter.reject(refusal);
    this.#turns.clear();
  }

  async #tell(update: SessionUpdate): Promise<void> {
    const { sessionUpdate: kind } = update;
    // The agent's text comes in pieces that may split one sign: they stay unchanged.
    const isPiece = kind === "agent_message_chunk" || kind === "agent_thought_chunk";
    const shown = isPiece ? update : withHiddenNamed(update);
    await this.#options.editor.notify(methods.client.session.update, { sessionId: this.id, update: shown });
  }

  async #ask(approval: Approval): Promise<void> {
    const { client, mayDecide } = this.#options;
    if (this.#asking.has(approval.id)) return;
    const asking = new AbortController();
    this.#asking.set(approval.id, asking);
    try {
      // An editor asks only during a prompt, and this one has ended.
      if (approval.tool === REVIEW_TOOL) return await this.#sayReview(approval);
      if (!mayDecide) return await this.#leaveToOthers(approval);
      const reply = await this.#reply(approval, asking.signal);
      if (asking.signal.aborted) return;
      if ("closed" in reply) await this.#close(approval, reply.closed);
      else await client.decide(approval.id, reply.decision);
    } catch (error) {
      if (asking.signal.aborted || (error instanceof Failure && TOO_LATE.has(error.code))) return;
      this.#complain(error, `approval ${approval.id} stays open; answer it elsewhere`);
      // The server refused the answer, and would again. Nobody here can answer, so the turn does not wait.
      if (error instanceof Failure) await this.#stop(approval.turn_id, error);
    } finally {
      this.#asking.delete(approval.id);
    }
  }

  /** Says where the session's changes are decided on. */
  async #sayReview({ id, preview }: Approval): Promise<void> {
    const summary = preview.type === "changes" ? preview.summary : "";
    const where = `They wait for your review in the console, or with: sallyport approve ${id}`;
    await this.#tell(this.#translator.notice("info", `${summary}. ${where}`));
  }

  /** This token cannot answer. If it is about money, nobody is waited for: the prompt ends with the reason. */
  async #leaveToOthers({ tool, turn_id, preview }: Approval): Promise<void> {
    if (tool === BUDGET_TOOL && preview.type === "budget") {
      const advice = "An operator can raise the limit; then send the prompt again.";
      await this.#stop(turn_id, new Failure("budget_exceeded", `${preview.summary} ${advice}`));
    } else await this.#tell(this.#translator.notice("warning", `${tool} waits for somebody who may approve it`));
  }

  /** Nobody in the editor will answer. A turn that it started ends; a question of another client's turn stays open. */
  async #close({ id, turn_id, input_hash }: Approval, why: string): Promise<void> {
    // A pending cancellation ends this question, and must not hit the next turn.
    await this.#cancelling;
    if (!this.#turns.has(turn_id)) return;
    this.#stopped.set(turn_id, { stopReason: "cancelled" });
    // As with a cancellation: no waiting prompt may begin because of it.
    await this.#unqueue();
    const stop = { interrupt: true, hold_queue: true };
    await this.#options.client.decide(id, { decision: "reject", input_hash, feedback: why, ...stop });
  }

  /** Ends a turn of this editor, and fails its prompt with the reason. */
  async #stop(turn_id: string, why: Failure): Promise<void> {
    if (!this.#turns.has(turn_id)) return;
    this.#stopped.set(turn_id, requestError(why));
    await this.cancel().catch((error: unknown) => this.#complain(error));
  }

  async #reply(approval: Approval, signal: AbortSignal): Promise<EditorReply> {
    const answers: QuestionAnswer[] = [];
    for (const { request, chosen } of askedOf(approval, this.#options.view.settings.workspace)) {
      const choice = await this.#choice(request, signal);
      if ("closed" in choice) return choice;
      const meaning = chosen(choice.optionId);
      if (meaning === undefined) return { closed: NOT_OFFERED };
      if ("decision" in meaning) return { decision: meaning };
      answers.push(meaning);
    }
    return { decision: answered(approval, answers) };
  }

  async #choice(request: RequestPermissionRequest, signal: AbortSignal): Promise<EditorChoice> {
    const { editor } = this.#options;
    try {
      const answer: unknown = await editor.request(methods.client.session.requestPermission, withHiddenNamed(request), {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      return choiceIn(answer);
    } catch (error) {
      // The editor could not ask. Any other error: the editor is gone, and the question stays open.
      if (!(error instanceof RequestError)) throw error;
      return NO_CHOICE;
    }
  }

  #complain(error: unknown, words = "a request failed"): void {
    this.#options.complain(
      `session ${this.id}: ${words}: ${error instanceof Error ? error.message : "no reason was given"}`,
    );
  }
}
