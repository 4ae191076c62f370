import type { PageTool } from "../../client/index.ts";
import type { Attachment } from "../../protocol/index.ts";
import { Chat } from "./chat.ts";
import { asText, ChatHistory, type RememberedChat } from "./history.ts";
import { findChat, messagesOf } from "./past.ts";
import { PANEL_LIMITS } from "./limits.ts";
import { spokenText } from "../ui/markdown/tree.ts";
import { checkPageName, type PanelEvents, type PanelOptions } from "./options.ts";
import { isShortcut, parseShortcut } from "./shortcut.ts";
import { panelStyles } from "./styles.ts";
import { holdChat, TabMemory } from "./tab-memory.ts";
import { answerText, type PanelTurn } from "./transcript.ts";
import { connectionWords, offerWords, pageWords, troubleOf } from "./words.ts";
import { copyText, replaceIcon } from "./view/dom.ts";
import { PanelFrame } from "./view/frame.ts";
import { directionOf, isSpoken, languageOf, speak, t } from "./language.ts";

const AGAIN = "Please try again. ";
const SHORTCUT = "Ctrl+I";

/** What a connected panel has. */
interface Joined {
  readonly options: PanelOptions;
  readonly memory: TabMemory;
  readonly history: ChatHistory;
  readonly leave: AbortController;
  tools: readonly PageTool<never>[];
  chat: Chat;
  /** Releases the chat for other tabs; absent: there is none yet. */
  release?: (() => void) | undefined;
  /** The previous chat, while it is looked for. */
  resuming?: string | undefined;
  /** A read-only chat. */
  kept?: RememberedChat | undefined;
}

/** A program that makes pages without a browser may load this too; it never makes one. */
const Base =
  (globalThis as { readonly HTMLElement?: typeof HTMLElement }).HTMLElement ??
  (Object as unknown as typeof HTMLElement);

/** The chat panel. It shows nothing until `connect` was called. */
export class SallyportPanel extends Base {
  #frame: PanelFrame;
  #joined: Joined | undefined;
  /** Its options while its catalogue is loaded. */
  #opening: { readonly options: PanelOptions; readonly opened: Promise<void> } | undefined;
  /** Its options when it was removed from its page. */
  #parked: PanelOptions | undefined;
  #painting = false;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [panelStyles()];
    this.#frame = this.#newFrame();
    root.append(this.#frame.element, this.#frame.launcher);
  }

  #newFrame(): PanelFrame {
    return new PanelFrame({
      send: (text, attachments) => void this.#send(text, attachments),
      stop: () => void this.stop(),
      tryAgain: () => {
        this.focus();
        void this.tryAgain();
      },
      suggest: (prompt) => {
        this.focus();
        void this.#send(prompt, []);
      },
      sendAgain: (key) => {
        this.focus();
        void this.#joined?.chat.sendAgain(key);
      },
      drop: (key) => {
        this.focus();
        this.#joined?.chat.drop(key);
      },
      resumeQueue: () => {
        this.focus();
        void this.#attempt((chat) => chat.resumeQueue());
      },
      unqueue: (turn) => {
        this.focus();
        void this.#attempt((chat) => chat.unqueue(turn));
      },
      newChat: () => void this.newChat(),
      copy: () => void this.#copy(),
      toggle: () => this.toggle(),
      describe: (tool, input) =>
        pageWords(this.#joined?.options.page?.page, this.#joined?.options.describe)(tool, input),
      decide: async (approval, decision) => this.#joined?.chat.decide(approval, decision),
      rate: (turnId, rating) => this.#tell("sallyport-feedback", { rating, turnId, sessionId: this.sessionId ?? "" }),
      history: {
        list: async () => (await this.#joined?.history.list(this.#context)) ?? [],
        choose: (conversation) => void this.#choose(conversation),
        clear: async () => this.#joined?.history.clear(),
      },
    });
  }

  /** The session of the chat; absent before its first prompt. */
  get sessionId(): string | undefined {
    return this.#joined?.chat.sessionId;
  }

  get isOpen(): boolean {
    return !this.hasAttribute("closed");
  }

  /** Starts the panel. A second call replaces the options, and keeps the chat. */
  connect(options: PanelOptions): void {
    checkPageName(options.page?.page);
    this.disconnect();
    const language = languageOf(this);
    if (isSpoken(language)) {
      this.#join(options);
      return;
    }
    const opened = speak(language).then(() => {
      if (this.#opening?.options !== options) return;
      this.#opening = undefined;
      this.#frame = this.#newFrame();
      this.shadowRoot?.replaceChildren(this.#frame.element, this.#frame.launcher);
      this.#join(options);
    });
    this.#opening = { options, opened };
  }

  #join(options: PanelOptions): void {
    this.#frame.turn(directionOf(languageOf(this)));
    const { live, title = t("Chat"), placeholder = t("Ask Claude about this page…"), suggestions = [] } = options;
    const tools = options.page?.tools ?? [];
    const leave = new AbortController();
    const joined: Joined = {
      options,
      tools,
      leave,
      history: new ChatHistory(),
      memory: new TabMemory(live, options.contextId ?? "", () => joined.chat.sessionId ?? joined.resuming),
      chat: this.#newChatOf(options, tools),
    };
    this.#joined = joined;
    const shortcut = options.shortcut ?? SHORTCUT;
    this.#frame.entitle(title, placeholder, shortcut);
    this.#frame.element.classList.toggle("with-cost", options.showCost === true);
    this.#frame.messages.welcome(title, suggestions);
    const keys = parseShortcut(shortcut);
    if (keys !== undefined)
      document.addEventListener(
        "keydown",
        (event) => {
          if (!isShortcut(keys, event)) return;
          event.preventDefault();
          this.toggle();
        },
        { signal: leave.signal },
      );
    leave.signal.addEventListener(
      "abort",
      live.onStatus(() => this.#connection()),
    );
    const before = joined.memory.take();
    if (before !== undefined) void this.#resume(before, joined);
    this.#paint();
  }

  /** Releases everything. The chat stays on the server; a panel that is connected again with the same `live` continues it. */
  disconnect(): void {
    this.#parked = undefined;
    this.#opening = undefined;
    const joined = this.#joined;
    if (joined === undefined) return;
    joined.memory.leave();
    joined.chat.close({ stops: false });
    joined.release?.();
    joined.leave.abort();
    clearInterval(this.#clock);
    this.#frame.composer.leave();
    this.#frame.messages.clear();
    void joined.history.close();
    this.#joined = undefined;
  }

  /** It is in the page again, and continues. */
  connectedCallback(): void {
    const parked = this.#parked;
    if (parked !== undefined) this.connect(parked);
  }

  /** The element was removed from its page. One that is only moved is back at once. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      const joined = this.#joined;
      const opening = this.#opening?.options;
      if (this.isConnected) return;
      if (opening !== undefined) {
        this.disconnect();
        this.#parked = opening;
      }
      if (joined === undefined) return;
      const { options, tools } = joined;
      this.disconnect();
      this.#parked = options.page === undefined ? options : { ...options, page: { ...options.page, tools } };
    });
  }

  /** Other tools instead of those before, for this chat and those to come. */
  setTools(tools: readonly PageTool<never>[]): void {
    if (this.#joined === undefined) return;
    this.#joined.tools = tools;
    this.#joined.chat.setTools(tools);
  }

  /** Sends a prompt. Resolves when the server has it, or the panel shows the error. */
  async prompt(text: string): Promise<void> {
    await this.#send(text, []);
  }

  /** Leaves the chat and stops the agent's work for it. The next prompt begins another one. */
  async newChat(): Promise<void> {
    const joined = this.#joined;
    if (joined === undefined) return;
    this.#leaveChat(joined);
    this.#frame.composer.clear();
    this.#tell("sallyport-session", { sessionId: undefined });
    this.#paint();
    this.#frame.composer.input.focus();
    await Promise.resolve();
  }

  /** Ends the current answer. */
  async stop(): Promise<void> {
    await this.#attempt((chat) => chat.stop());
  }

  /** Errors are shown above the field. */
  async #attempt(act: (chat: Chat) => Promise<void>): Promise<void> {
    const chat = this.#joined?.chat;
    try {
      if (chat !== undefined) await act(chat);
    } catch (error) {
      this.#frame.composer.say(troubleOf(error).text);
    }
  }

  /** Sends the last prompt again. */
  async tryAgain(): Promise<void> {
    const chat = this.#joined?.chat;
    const last = chat?.transcript.turns.findLast(({ state }) => state !== "queued" && state !== "removed");
    if (chat === undefined || last === undefined) return;
    const text = chat.shownPrompt(last);
    await this.#send(text.startsWith(AGAIN) ? text : `${AGAIN}${text}`, last.prompt.attachments ?? []);
  }

  /** Opens or closes it; without `force` it toggles. */
  toggle(force?: boolean): void {
    const open = force ?? !this.isOpen;
    if (open === this.isOpen) return;
    this.toggleAttribute("closed", !open);
    if (open) this.#frame.composer.input.focus();
    else if (this.hasAttribute("dock")) this.#frame.launcher.focus();
    this.#tell("sallyport-toggle", { open });
  }

  override focus(): void {
    this.#frame.composer.input.focus();
  }

  get #context(): string {
    return this.#joined?.options.contextId ?? "";
  }

  #newChatOf(options: PanelOptions, tools: readonly PageTool<never>[]): Chat {
    const chat: Chat = new Chat(options, tools, {
      changed: () => this.#changed(chat),
      began: (sessionId) => {
        if (this.#joined?.chat !== chat) return;
        this.#tell("sallyport-session", { sessionId });
        void this.#hold(sessionId);
      },
      asked: () => {
        if (this.#joined?.chat === chat) this.#frame.attend(t("The agent waits for your answer."));
      },
      answered: (turn, isNew) => this.#answered(chat, turn, isNew),
    });
    return chat;
  }

  async #send(text: string, attachments: readonly Attachment[]): Promise<void> {
    await this.#opening?.opened;
    const joined = this.#joined;
    if (joined === undefined || text.trim() === "") return;
    if (joined.kept !== undefined) this.#leaveChat(joined);
    this.#frame.toConversation();
    await joined.chat.send(text, attachments);
  }

  #leaveChat(joined: Joined): void {
    joined.chat.close({ stops: true });
    joined.release?.();
    joined.release = undefined;
    joined.kept = undefined;
    joined.chat = this.#newChatOf(joined.options, joined.tools);
    this.#frame.clear();
    this.#frame.notice(undefined);
  }

  async #hold(id: string): Promise<void> {
    const joined = this.#joined;
    const release = joined?.release === undefined ? await holdChat(id, { waits: false }) : undefined;
    if (joined === undefined || release === undefined) return;
    if (joined.chat.sessionId === id && this.#joined === joined) joined.release = release;
    else release();
  }

  /** The chat that this tab had open. */
  async #resume(id: string, joined: Joined): Promise<void> {
    const { chat } = joined;
    joined.resuming = id;
    const release = await holdChat(id, { waits: true });
    const found = release === undefined ? undefined : await findChat(id, joined.options.client);
    joined.resuming = undefined;
    // Another tab has it: this one starts a new chat.
    if (release === undefined || found === undefined) return;
    if (this.#joined !== joined || joined.chat !== chat || chat.isWorking) release();
    else if (found.why === undefined || found.mayCome) {
      joined.release = release;
      chat.resume(id, found.seq);
    } else {
      release();
      const kept = await joined.history.get(id);
      if (kept !== undefined && this.#joined === joined && joined.chat === chat) this.#read(kept, found.why, joined);
    }
  }

  /** Continues a chat of the history if possible; otherwise shows it read-only. */
  async #choose(conversation: RememberedChat): Promise<void> {
    const joined = this.#joined;
    if (joined === undefined || conversation.id === joined.chat.sessionId) return;
    this.#leaveChat(joined);
    const { chat } = joined;
    const { id } = conversation;
    const release = await holdChat(id, { waits: false });
    const found =
      release === undefined
        ? { why: t("This chat is open in another tab."), seq: 0 }
        : await findChat(id, joined.options.client);
    if (this.#joined !== joined || joined.chat !== chat || chat.isWorking) {
      release?.();
      return;
    }
    if (found.why === undefined) {
      joined.release = release;
      chat.resume(id, found.seq);
    } else {
      release?.();
      this.#read(conversation, found.why, joined);
    }
    this.#frame.composer.input.focus();
  }

  #read(conversation: RememberedChat, why: string, joined: Joined): void {
    joined.kept = conversation;
    this.#frame.messages.showKept(conversation, why);
    this.#paint();
  }

  #changed(chat: Chat): void {
    if (this.#joined?.chat !== chat || this.#painting) return;
    this.#painting = true;
    requestAnimationFrame(() => {
      this.#painting = false;
      this.#paint();
    });
  }

  #paint(): void {
    const joined = this.#joined;
    if (joined === undefined) return;
    const { chat, kept } = joined;
    if (kept === undefined) this.#frame.messages.update(chat);
    const { turns, open } = chat.transcript;
    const isFilled = kept !== undefined || turns.length > 0 || chat.outgoing.length > 0;
    this.#frame.filled(isFilled);
    this.#frame.composer.update({
      isWorking: chat.isWorking,
      canRetry: turns.length > 0 && open === undefined && !chat.isWorking && chat.trouble === undefined,
      isOver: chat.trouble !== undefined || kept !== undefined,
    });
    this.#frame.notice(offerWords(chat.offered));
    this.#connection();
  }

  /** The time until the next try is counted down. */
  #connection(): void {
    const joined = this.#joined;
    const { live } = joined?.options ?? {};
    clearInterval(this.#clock);
    if (live === undefined || joined?.chat.sessionId === undefined || joined.chat.trouble !== undefined) {
      this.#frame.banner(undefined);
      return;
    }
    const show = (): void => this.#frame.banner(connectionWords(live.status, Date.now()));
    const { state, attempt } = live.status;
    // The first connection is usually open before anybody could read this.
    if (state !== "connecting" || attempt > 0) show();
    if (state === "waiting" || state === "connecting") this.#clock = setInterval(show, 1_000);
  }

  #answered(chat: Chat, turn: PanelTurn, isNew: boolean): void {
    const joined = this.#joined;
    if (joined?.chat !== chat || chat.sessionId === undefined || !isNew) return;
    const text = answerText(turn);
    void joined.history.save(this.#conversation(chat, chat.sessionId));
    const words = turn.error === undefined ? spokenText(text) : troubleOf(turn.error).text;
    this.#frame.announce(words.slice(0, PANEL_LIMITS.announcedChars));
    this.#tell("sallyport-answer", { sessionId: chat.sessionId, turnId: turn.id, text });
  }

  #conversation(chat: Chat, id: string): RememberedChat {
    const messages = messagesOf(chat);
    return {
      id,
      timestamp: Date.now(),
      contextId: this.#context,
      initialPrompt: messages[0]?.text ?? "",
      messages,
    };
  }

  async #copy(): Promise<void> {
    const joined = this.#joined;
    if (joined === undefined) return;
    const worked = await copyText(asText(joined.kept?.messages ?? messagesOf(joined.chat)));
    const { copyButton } = this.#frame;
    replaceIcon(copyButton, worked ? "check" : "alert");
    this.#frame.announce(worked ? t("The conversation was copied.") : t("It could not be copied."));
    setTimeout(() => replaceIcon(copyButton, "copy"), PANEL_LIMITS.copiedMs);
  }

  #tell<Name extends keyof PanelEvents>(name: Name, detail: PanelEvents[Name]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
