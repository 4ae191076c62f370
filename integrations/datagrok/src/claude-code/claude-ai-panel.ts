import * as ui from "datagrok-api/ui";
import { Subject } from "rxjs";
import { conversationText, type Said } from "./conversation-text.ts";
import { renderMarkdown } from "./markdown.ts";
import { adoptStyles } from "./panel-styles.ts";

/** What is kept in view; the oldest go first. */
const SHOWN_MESSAGES = 400;
const PLACEHOLDER = "Ask Claude about your data…";

export type Rating = "up" | "down";

/** What shows one prompt and its answer. */
export interface AIPanelFuncs {
  addUserMessage(text: string): void;
  /** A new message of the assistant. */
  addAIMessage(text: string): void;
  /** The assistant's last message says this now; `finalResult`: it is whole, and can be rated. */
  updateLastAIMessage(text: string, options?: { readonly finalResult?: boolean }): void;
  /** A step, in words, and how it stands. The same `key` is the same step. */
  showStep(key: string, words: string, state: "running" | "completed" | "failed"): void;
  addError(text: string): void;
}

export interface ChatSession {
  readonly session: AIPanelFuncs;
  /** The button runs again. */
  readonly endSession: () => void;
}

/** The chat of one view. It shows and asks; who answers listens to its Subjects. */
export class ClaudeAIPanel {
  readonly root: HTMLElement;
  readonly onRunRequest = new Subject<string>();
  readonly onStopRequest = new Subject<void>();
  readonly onClearChatRequest = new Subject<void>();
  readonly onFeedback = new Subject<Rating>();
  readonly #output = make("div", "sallyport-output");
  readonly #loader = make("div", "sallyport-loader", "Claude is at work…");
  readonly #input = document.createElement("textarea");
  readonly #run = button("paper-plane", "Run AI Prompt", () => this.#runOrStop());
  readonly #again = button("redo", "Try again", () => this.#ask(`Please try again. ${this.#lastPrompt}`));
  readonly #clear = button("plus", "New chat", () => this.onClearChatRequest.next());
  readonly #copy = button("copy", "Copy conversation", () => void navigator.clipboard.writeText(this.text));
  #said: Said[] = [];
  #answer: HTMLElement | undefined;
  #steps: HTMLDetailsElement | undefined;
  #running = false;
  #lastPrompt = "";
  /** What is drawn with the next frame: a text may come in many pieces between two frames. */
  #waiting: { readonly frame: number; readonly draw: () => void } | undefined;

  constructor() {
    adoptStyles(document);
    this.#output.setAttribute("role", "log");
    this.#output.setAttribute("aria-label", "Conversation with Claude");
    this.#input.placeholder = PLACEHOLDER;
    this.#input.setAttribute("aria-label", PLACEHOLDER);
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#run.classList.add("sallyport-run");
    const title = make("strong", "", "Chat");
    title.addEventListener("click", () => this.focus());
    this.root = make(
      "div",
      "sallyport-panel",
      make("div", "sallyport-header", title, this.#clear, this.#copy),
      this.#output,
      this.#loader,
      make("div", "sallyport-input", this.#input, make("div", "sallyport-row", this.#again, this.#run)),
    );
    this.#show();
  }

  /** The conversation as text. */
  get text(): string {
    return conversationText(this.#said);
  }

  focus(): void {
    this.#input.focus();
  }

  /** A prompt runs from now on until `endSession`. */
  startChatSession(): ChatSession {
    this.#running = true;
    this.#answer = undefined;
    this.#steps = undefined;
    this.#show();
    return {
      session: {
        addUserMessage: (text) => this.#addUserMessage(text),
        addAIMessage: (text) => this.#addAIMessage(text),
        updateLastAIMessage: (text, options) => this.#updateLast(text, options?.finalResult === true),
        showStep: (key, words, state) => this.#showStep(key, words, state),
        addError: (text) => this.#append(make("div", "sallyport-error", text)).setAttribute("role", "alert"),
      },
      endSession: () => {
        this.#draw();
        this.#running = false;
        this.#show();
      },
    };
  }

  /** New chat: nothing of the old one is left. */
  clear(): void {
    this.#drop();
    this.#said = [];
    this.#answer = undefined;
    this.#steps = undefined;
    this.#lastPrompt = "";
    this.#output.replaceChildren();
    this.#show();
  }

  dispose(): void {
    this.#drop();
    for (const subject of [this.onRunRequest, this.onStopRequest, this.onClearChatRequest, this.onFeedback])
      subject.complete();
    this.root.remove();
  }

  #key(event: KeyboardEvent): void {
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
    if (event.key !== "Enter" || !isPlain) return;
    event.preventDefault();
    if (!this.#running) this.#ask(this.#input.value);
  }

  #runOrStop(): void {
    if (this.#running) this.onStopRequest.next();
    else this.#ask(this.#input.value);
  }

  #ask(prompt: string): void {
    const text = prompt.trim();
    if (text === "" || this.#running) return;
    this.#input.value = "";
    this.onRunRequest.next(text);
  }

  #addUserMessage(text: string): void {
    this.#lastPrompt = text;
    this.#said.push({ by: "user", text });
    this.#append(make("div", "sallyport-user", text));
  }

  #addAIMessage(text: string): void {
    this.#draw();
    this.#said.push({ by: "assistant", text });
    this.#answer = this.#append(make("div", "d4-ai-assistant-response-container"));
    this.#answer.append(renderMarkdown(text));
  }

  /** One element for the whole answer: its content is replaced, at most once for a frame. */
  #updateLast(text: string, isFinal: boolean): void {
    const answer = this.#answer;
    if (answer === undefined) {
      this.#addAIMessage(text);
      if (isFinal) this.#updateLast(text, true);
      return;
    }
    this.#said[this.#said.length - 1] = { by: "assistant", text };
    const draw = (): void => {
      const isAtEnd = this.#isAtEnd();
      answer.replaceChildren(renderMarkdown(text), ...(isFinal ? [this.#feedback()] : []));
      if (isAtEnd) this.#output.scrollTop = this.#output.scrollHeight;
    };
    this.#drop();
    this.#waiting = { draw, frame: requestAnimationFrame(() => this.#draw()) };
    if (isFinal) this.#draw();
  }

  /** Draws now what waits for the next frame. */
  #draw(): void {
    const { draw } = this.#waiting ?? {};
    this.#drop();
    draw?.();
  }

  #drop(): void {
    if (this.#waiting !== undefined) cancelAnimationFrame(this.#waiting.frame);
    this.#waiting = undefined;
  }

  #showStep(key: string, words: string, state: "running" | "completed" | "failed"): void {
    const steps = (this.#steps ??= this.#append(stepList()));
    const list = steps.querySelector("ul");
    const known = [...(list?.children ?? [])].find((item) => item.getAttribute("data-key") === key);
    const item = known ?? document.createElement("li");
    item.setAttribute("data-key", key);
    item.setAttribute("data-state", state);
    item.textContent = state === "failed" ? `${words} (failed)` : words;
    if (known === undefined) list?.append(item);
    const summary = steps.querySelector("summary");
    if (summary !== null) summary.textContent = words;
  }

  #feedback(): HTMLElement {
    const box = make("div", "sallyport-feedback");
    const rate = (rating: Rating): void => {
      if (box.dataset["rating"] !== undefined) return;
      box.dataset["rating"] = rating;
      this.onFeedback.next(rating);
    };
    box.append(
      button("thumbs-up", "Good answer", () => rate("up")),
      button("thumbs-down", "Bad answer", () => rate("down")),
    );
    return box;
  }

  #append<Made extends HTMLElement>(made: Made): Made {
    const isAtEnd = this.#isAtEnd();
    this.#output.append(made);
    while (this.#output.childElementCount > SHOWN_MESSAGES) this.#output.firstElementChild?.remove();
    this.#said = this.#said.slice(-SHOWN_MESSAGES);
    if (isAtEnd) this.#output.scrollTop = this.#output.scrollHeight;
    this.#show();
    return made;
  }

  /** Who has scrolled up reads, and is left there. */
  #isAtEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#output;
    return scrollHeight - scrollTop - clientHeight < 40;
  }

  #show(): void {
    const isEmpty = this.#output.childElementCount === 0;
    this.#loader.hidden = !this.#running;
    this.#clear.hidden = isEmpty;
    this.#copy.hidden = isEmpty;
    this.#again.hidden = isEmpty || this.#running || this.#lastPrompt === "";
    const words = this.#running ? "Stop AI Generation" : "Run AI Prompt";
    this.#run.dataset["running"] = String(this.#running);
    this.#run.title = words;
    this.#run.setAttribute("aria-label", words);
    this.#run.replaceChildren(ui.iconFA(this.#running ? "stop" : "paper-plane"));
    this.#output.setAttribute("aria-busy", String(this.#running));
  }
}

function stepList(): HTMLDetailsElement {
  const steps = document.createElement("details");
  steps.className = "sallyport-steps";
  steps.append(document.createElement("summary"), document.createElement("ul"));
  return steps;
}

function make(tag: string, className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

function button(icon: string, words: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.title = words;
  made.setAttribute("aria-label", words);
  made.append(ui.iconFA(icon));
  made.addEventListener("click", act);
  return made;
}
