import type { OfferedPage, PageOfferStatus, PageTool } from "../../client/index.ts";
import type { Attachment, CreateSession, Decision, StreamFrame } from "../../protocol/index.ts";
import { PANEL_LIMITS } from "./limits.ts";
import type { PanelOptions } from "./options.ts";
import { PanelTranscript, type PanelTurn } from "./transcript.ts";
import { codeOf, troubleOf, type PanelTrouble } from "./words.ts";
import { t } from "./language.ts";

/** A prompt that the server has not confirmed yet. */
export interface Outgoing {
  /** The key of its request: sent again it is the same prompt. */
  readonly key: string;
  /** As the person wrote it. */
  readonly shown: string;
  /** As it is sent. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Absent: it is under way. */
  readonly trouble?: PanelTrouble;
  /** Its turn, once the server has accepted it. */
  readonly turn?: string;
}

export interface ChatEvents {
  /** Something that is shown has changed. */
  readonly changed: () => void;
  readonly began: (sessionId: string) => void;
  /** A person is asked. */
  readonly asked: () => void;
  /** `isNew`: it was not there when the chat was resumed. */
  readonly answered: (turn: PanelTurn, isNew: boolean) => void;
}

const MARK = "\n\nUser request: ";

/** One conversation: its session, the page's tools for it, and its messages. */
export class Chat {
  readonly transcript = new PanelTranscript();
  readonly #options: PanelOptions;
  readonly #events: ChatEvents;
  readonly #watching = new AbortController();
  #outgoing: readonly Outgoing[] = [];
  #session: Promise<string> | undefined;
  #sessionKey = newKey();
  #settings: CreateSession | undefined;
  #id: string | undefined;
  #offer: OfferedPage | undefined;
  #offered: PageOfferStatus | undefined;
  #loading = false;
  #past = 0;
  #trouble: PanelTrouble | undefined;
  #tools: readonly PageTool<never>[];

  constructor(options: PanelOptions, tools: readonly PageTool<never>[], events: ChatEvents) {
    this.#options = options;
    this.#tools = tools;
    this.#events = events;
  }

  get sessionId(): string | undefined {
    return this.#id;
  }

  /** What the server has not confirmed yet. */
  get outgoing(): readonly Outgoing[] {
    return this.#outgoing.filter(({ turn }) => !this.transcript.turns.some(({ id }) => id === turn));
  }

  /** The session is known, but nothing of it has arrived yet. */
  get loading(): boolean {
    return this.#loading;
  }

  /** Nothing more comes, and why. */
  get trouble(): PanelTrouble | undefined {
    if (this.#trouble !== undefined) return this.#trouble;
    const { ended } = this.transcript;
    if (ended === undefined) return undefined;
    return ended.error === undefined
      ? { text: t("This chat has ended."), next: t("Start a new chat.") }
      : { ...troubleOf(ended.error), next: t("Start a new chat.") };
  }

  /** The state of the page's tools; absent: it offers none. */
  get offered(): PageOfferStatus | undefined {
    return this.#offered;
  }

  get isWorking(): boolean {
    return this.transcript.open !== undefined || this.outgoing.some(({ trouble }) => trouble === undefined);
  }

  /** Resumes an existing session. `seq`: the last event that is not new. */
  resume(id: string, seq: number): void {
    this.#past = seq;
    this.#session = Promise.resolve(id);
    this.#begin(id);
  }

  /** Resolves when the server has it, or when the error is shown. */
  async send(shown: string, attachments: readonly Attachment[]): Promise<void> {
    const isFirst = this.transcript.turns.length === 0 && this.#outgoing.length === 0 && this.#session === undefined;
    const prefix = isFirst ? this.#options.firstPrefix?.() : undefined;
    const text = prefix === undefined || prefix === "" ? shown : `${prefix}${MARK}${shown}`;
    await this.#submit({ key: newKey(), shown, text, attachments });
  }

  async sendAgain(key: string): Promise<void> {
    const known = this.#outgoing.find((one) => one.key === key);
    if (known?.trouble === undefined) return;
    const { trouble: _, ...again } = known;
    await this.#submit(again);
  }

  /** What could not be sent is given up. */
  drop(key: string): void {
    this.#outgoing = this.#outgoing.filter((one) => one.key !== key);
    this.#events.changed();
  }

  async stop(): Promise<void> {
    const id = this.#id ?? (await this.#session?.catch(() => undefined));
    if (id === undefined) return;
    // A stop never starts anything: waiting prompts are held until the person resumes them.
    await this.#options.client.interrupt(id, { hold_queue: true });
  }

  /** Resumes the prompts that a stop holds. */
  async resumeQueue(): Promise<void> {
    if (this.#id !== undefined) await this.#options.client.control(this.#id, "resume");
  }

  /** Removes a prompt from the queue. */
  async unqueue(turn: string): Promise<void> {
    if (this.#id !== undefined) await this.#options.client.removePrompt(this.#id, turn);
  }

  async decide(approval: string, decision: Decision): Promise<void> {
    await this.#options.client.decide(approval, decision);
  }

  setTools(tools: readonly PageTool<never>[]): void {
    this.#tools = tools;
    this.#offer?.update(tools).catch(() => this.#events.changed());
  }

  /** A prompt as the person wrote it. */
  shownPrompt(turn: PanelTurn): string {
    const { firstPrefix, shownPrompt } = this.#options;
    const { text } = turn.prompt;
    const at = firstPrefix !== undefined && this.transcript.turns[0]?.id === turn.id ? text.indexOf(MARK) : -1;
    const own = at === -1 ? text : text.slice(at + MARK.length);
    return shownPrompt?.(own) ?? own;
  }

  /** The page leaves the chat and unregisters its tools. `stops`: the agent's current work ends too. */
  close({ stops }: { readonly stops: boolean }): void {
    if (stops && this.isWorking) this.stop().catch(() => undefined);
    this.#watching.abort();
    this.#offer?.withdraw().catch(() => undefined);
  }

  async #submit(prompt: Outgoing): Promise<void> {
    const { key, text, attachments } = prompt;
    this.#keep(prompt);
    try {
      const id = await this.#sessionFor();
      await this.#offerReady();
      const { turn_id } = await this.#options.client.prompt(
        id,
        { text, ...(attachments.length === 0 ? {} : { attachments: [...attachments] }) },
        { key },
      );
      this.#keep({ ...prompt, turn: turn_id });
    } catch (error) {
      // The answer to the request was lost, but the journal has the prompt.
      if (!this.#outgoing.some((one) => one.key === key)) return;
      const code = codeOf(error);
      if (this.#id !== undefined && (code === "session_closed" || code === "not_found"))
        this.#trouble = troubleOf(error);
      this.#keep({ ...prompt, trouble: troubleOf(error) });
    }
  }

  #keep(prompt: Outgoing): void {
    const others = this.#outgoing.filter(({ key }) => key !== prompt.key);
    const at = this.#outgoing.findIndex(({ key }) => key === prompt.key);
    this.#outgoing = at === -1 ? [...others, prompt] : this.#outgoing.with(at, prompt);
    this.#events.changed();
  }

  /** The session, created once: a retry after a failure asks for the same. */
  #sessionFor(): Promise<string> {
    this.#session ??= this.#create().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #create(): Promise<string> {
    // A repeated request under the same key must be the same.
    this.#settings ??= await this.#options.session();
    const { prompt: _, ...settings } = this.#settings;
    const { id } = await this.#options.client
      .createSession(settings, { key: this.#sessionKey })
      .catch(this.#notCreated);
    if (this.#watching.signal.aborted) throw new Error("another chat was begun");
    this.#begin(id);
    return id;
  }

  /** After a refusal there is nothing under this key: the next try may differ. Without an answer there may be. */
  readonly #notCreated = (error: unknown): never => {
    if (codeOf(error) !== undefined) {
      this.#settings = undefined;
      this.#sessionKey = newKey();
    }
    throw error;
  };

  #begin(id: string): void {
    this.#id = id;
    this.#loading = true;
    const { page } = this.#options;
    if (page !== undefined)
      this.#offer = this.#options.live.offer(id, {
        page: page.page,
        tools: this.#tools,
        onStatus: (status) => {
          this.#offered = status;
          this.#events.changed();
        },
      });
    void this.#watch(id);
    this.#events.began(id);
    this.#events.changed();
  }

  /** The model sees the tools that exist when its turn begins. Without them it is asked all the same, and the panel says so. */
  async #offerReady(): Promise<void> {
    if (this.#offer === undefined || this.#offer.status.state !== "waiting") return;
    const timer = new AbortController();
    const late = new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, PANEL_LIMITS.offerMs);
      timer.signal.addEventListener("abort", () => clearTimeout(timeout));
    });
    await Promise.race([this.#offer.ready().catch(() => undefined), late]);
    timer.abort();
  }

  async #watch(id: string): Promise<void> {
    const { signal } = this.#watching;
    try {
      for await (const frame of this.#options.live.watch(id, { signal })) this.#take(frame);
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
    this.#loading = false;
    if (!signal.aborted) this.#events.changed();
  }

  #take(frame: StreamFrame): void {
    if (this.#watching.signal.aborted) return;
    this.#loading = false;
    if (frame.type === "turn.queued" || frame.type === "turn.started" || frame.type === "turn.steered")
      this.#arrived(frame.prompt.text);
    const ended = this.transcript.apply(frame);
    const isNew = "seq" in frame && frame.seq > this.#past;
    if (frame.type === "approval.requested" && isNew) this.#events.asked();
    if (ended !== undefined) this.#events.answered(ended, isNew);
    this.#events.changed();
  }

  /** The journal can be faster than the answer to the request. */
  #arrived(text: string): void {
    const at = this.#outgoing.findIndex((one) => one.text === text && one.trouble === undefined);
    if (at !== -1) this.#outgoing = this.#outgoing.filter((_, index) => index !== at);
  }
}

function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
