import type { Attachment } from "../../../protocol/index.ts";
import type { Chat, Outgoing } from "../chat.ts";
import type { RememberedChat } from "../history.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { bubbleOf } from "./bubble.ts";
import { AnswerView, noteOf, type AnswerActions } from "./answer.ts";
import { button, icon, iconButton, make } from "./dom.ts";
import { proseOf } from "./prose.ts";
import { mark, t } from "../language.ts";

export interface MessagesActions extends AnswerActions {
  readonly suggest: (prompt: string) => void;
  readonly sendAgain: (key: string) => void;
  readonly drop: (key: string) => void;
  /** Resumes the prompts that a stop holds. */
  readonly resumeQueue: () => void;
  /** Removes a prompt from the queue. */
  readonly unqueue: (turn: string) => void;
  readonly newChat: () => void;
}

/** Said below a prompt that has no answer. */
const NOTES: Readonly<Record<string, string>> = {
  queued: mark("Waits for its turn"),
  held: mark("Held because you stopped the answer"),
  removed: mark("Not sent to the agent"),
};

/** Everything that was said, and what can be said first. */
export class Messages {
  readonly element: HTMLElement;
  readonly #actions: MessagesActions;
  readonly #log = make("div", {
    class: "log",
    attributes: { role: "log", "aria-live": "off", "aria-label": t("Conversation"), tabindex: "0" },
  });
  readonly #list = make("div", { class: "list" });
  readonly #empty = make("div", { class: "empty" });
  readonly #down: HTMLButtonElement;
  readonly #answers = new Map<string, AnswerView>();
  readonly #bubbles = new Map<string, HTMLElement>();
  #follows = true;

  constructor(actions: MessagesActions) {
    this.#actions = actions;
    this.#down = iconButton("bottom", t("To the end of the conversation"), () => this.toEnd(), "to-end");
    this.#down.hidden = true;
    this.#log.append(this.#empty, this.#list);
    this.#log.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.element = make("div", { class: "messages" }, this.#log, this.#down);
  }

  /** Shown before the first message. */
  welcome(title: string, suggestions: readonly string[]): void {
    this.#empty.replaceChildren(
      icon("chat"),
      make("p", { class: "empty-title", text: title }),
      make("p", { class: "faint", text: t("Ask something, or begin with one of these.") }),
      make(
        "div",
        { class: "suggestions" },
        ...suggestions.map((one) => button(one, () => this.#actions.suggest(one), "suggestion")),
      ),
    );
    if (suggestions.length === 0) this.#empty.querySelector(".faint")?.remove();
  }

  update(chat: Chat): void {
    const { transcript, outgoing, trouble } = chat;
    const nodes: Node[] = [];
    const firstHeld = transcript.turns.find(({ state, held }) => state === "queued" && held === true);
    const isOver = trouble !== undefined;
    for (const turn of transcript.turns) {
      const state = turn.state !== "queued" ? turn.state : turn.held !== true ? "queued" : isOver ? "removed" : "held";
      nodes.push(
        this.#bubble(turn.id, NOTES[state] === undefined ? "" : state, () => ({
          text: chat.shownPrompt(turn),
          attachments: turn.prompt.attachments ?? [],
        })),
      );
      if (state === "held")
        nodes.push(this.#once(`held ${turn.id}`, turn === firstHeld ? "first" : "", (is) => this.#held(turn.id, is)));
      if (turn.state === "queued" || turn.state === "removed") continue;
      const answer = this.#answers.get(turn.id) ?? new AnswerView(this.#actions);
      this.#answers.set(turn.id, answer);
      answer.update(turn);
      nodes.push(answer.element);
    }
    for (const prompt of outgoing) nodes.push(...this.#outgoing(prompt));
    if (chat.loading && nodes.length === 0) nodes.push(make("div", { class: "loading", text: t("Opening the chat…") }));
    if (trouble !== undefined)
      nodes.push(this.#once("trouble", `${trouble.text}${trouble.next ?? ""}`, () => this.#over(trouble)));
    this.#put(nodes);
  }

  /** A chat that only this browser still knows. */
  showKept({ messages }: RememberedChat, why: string): void {
    this.clear();
    this.#put([
      ...messages.map(({ fromUser, text }) =>
        fromUser
          ? bubbleOf(text, [])
          : make("article", { class: "answer", attributes: { "aria-label": t("Answer") } }, proseOf(text)),
      ),
      this.#over({ text: why, next: t("You can read it here.") }),
    ]);
    this.toEnd();
  }

  clear(): void {
    this.#answers.clear();
    this.#bubbles.clear();
    this.#put([]);
    this.#follows = true;
  }

  toEnd(): void {
    this.#follows = true;
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#down.hidden = true;
  }

  #put(nodes: readonly Node[]): void {
    this.#empty.hidden = nodes.length > 0;
    for (const [index, node] of nodes.entries()) {
      const there = this.#list.childNodes[index];
      if (there !== node) this.#list.insertBefore(node, there ?? null);
    }
    while (this.#list.childNodes.length > nodes.length) this.#list.lastChild?.remove();
    if (this.#follows) this.toEnd();
    else this.#down.hidden = nodes.length === 0;
  }

  #scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    this.#follows = scrollHeight - scrollTop - clientHeight < PANEL_LIMITS.followPx;
    if (this.#follows) this.#down.hidden = true;
  }

  #bubble(
    id: string,
    state: string,
    read: () => { readonly text: string; readonly attachments: readonly Attachment[] },
  ): HTMLElement {
    return this.#once(id, state, () => {
      const { text, attachments } = read();
      const bubble = bubbleOf(text, attachments);
      const note = NOTES[state] === undefined ? undefined : t(NOTES[state]);
      if (note !== undefined) bubble.append(make("div", { class: "bubble-note", text: note }));
      return bubble;
    });
  }

  /** The actions for held prompts: resume all, or discard one. */
  #held(turn: string, state: string): HTMLElement {
    return make(
      "div",
      { class: "row held-row" },
      state === "first" ? button(t("Send now"), this.#actions.resumeQueue, "primary") : undefined,
      button(t("Discard"), () => this.#actions.unqueue(turn), "quiet"),
    );
  }

  #outgoing({ key, shown, attachments, trouble }: Outgoing): readonly Node[] {
    const bubble = this.#once(key, trouble === undefined ? "" : trouble.text, () => {
      const made = bubbleOf(shown, attachments);
      if (trouble === undefined) return made;
      made.classList.add("unsent");
      const note = noteOf({ ...trouble, text: t("Not sent. {why}", { why: trouble.text }) }, "bad");
      note.setAttribute("role", "alert");
      const again = button(t("Send again"), () => this.#actions.sendAgain(key), "primary");
      const row = make(
        "div",
        { class: "row" },
        again,
        button(t("Discard"), () => this.#actions.drop(key), "quiet"),
      );
      return make("div", { class: "unsent-group" }, made, note, row);
    });
    if (trouble !== undefined) return [bubble];
    return [bubble, this.#once(`waiting ${key}`, "", waitingOf)];
  }

  #over(trouble: Parameters<typeof noteOf>[0]): HTMLElement {
    const note = noteOf(trouble, "plain");
    return make("div", { class: "over" }, note, button(t("New chat"), this.#actions.newChat, "primary"));
  }

  /** Recreated only when its state changes. */
  #once(key: string, state: string, create: (state: string) => HTMLElement): HTMLElement {
    const known = this.#bubbles.get(key);
    if (known?.dataset["state"] === state) return known;
    const made = create(state);
    made.dataset["state"] = state;
    this.#bubbles.set(key, made);
    return made;
  }
}

function waitingOf(): HTMLElement {
  const attributes = { "aria-hidden": "true" };
  return make("div", { class: "waiting", attributes }, make("i"), make("i"), make("i"));
}
