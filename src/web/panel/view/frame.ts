import { Composer, type ComposerActions } from "./composer.ts";
import { icon, iconButton, make, setText } from "./dom.ts";
import { HistoryList, type HistoryActions } from "./history-list.ts";
import { Messages, type MessagesActions } from "./messages.ts";
import { t } from "../language.ts";

export interface FrameActions extends ComposerActions, MessagesActions {
  readonly copy: () => void;
  readonly toggle: () => void;
  readonly history: Omit<HistoryActions, "closed">;
}

/** The panel's fixed parts. */
export class PanelFrame {
  readonly element: HTMLElement;
  readonly launcher: HTMLButtonElement;
  readonly messages: Messages;
  readonly composer: Composer;
  readonly history: HistoryList;
  readonly copyButton: HTMLButtonElement;
  readonly #title = make("h2");
  readonly #banner = make("div", { class: "banner", attributes: { role: "status" } });
  readonly #notice = make("div", { class: "banner notice", attributes: { role: "status" } });
  readonly #spoken = make("div", { class: "unseen", attributes: { role: "status", "aria-live": "polite" } });
  readonly #newChat: HTMLButtonElement;

  constructor(actions: FrameActions) {
    this.messages = new Messages(actions);
    this.composer = new Composer(actions);
    this.#newChat = iconButton("plus", t("New chat"), actions.newChat);
    this.copyButton = iconButton("copy", t("Copy conversation"), actions.copy);
    const past = iconButton("history", t("History"), () => {
      if (this.history.isOpen) this.history.close();
      else void this.history.open();
    });
    this.history = new HistoryList({ ...actions.history, closed: () => past.focus() });
    const close = iconButton("close", t("Close the panel"), actions.toggle);
    this.#title.addEventListener("click", () => this.composer.input.focus());
    const head = make("header", {}, this.#title, this.#newChat, this.copyButton, past, close);
    this.element = make(
      "section",
      { class: "panel" },
      head,
      this.#banner,
      this.#notice,
      make("div", { class: "middle" }, this.messages.element, this.history.element),
      this.composer.element,
      this.#spoken,
    );
    this.launcher = make(
      "button",
      { class: "launcher", attributes: { type: "button" }, on: { click: actions.toggle } },
      icon("chat"),
    );
    this.banner(undefined);
    this.notice(undefined);
    this.filled(false);
  }

  turn(direction: "ltr" | "rtl"): void {
    this.element.dir = direction;
  }

  entitle(title: string, placeholder: string, shortcut: string): void {
    setText(this.#title, title);
    this.element.setAttribute("aria-label", title);
    this.composer.input.placeholder = placeholder;
    this.composer.input.setAttribute("aria-label", placeholder);
    const label = shortcut === "" ? t("Open {title}", { title }) : t("Open {title} ({shortcut})", { title, shortcut });
    this.launcher.setAttribute("aria-label", label);
    this.launcher.title = label;
  }

  /** Whether there is something to copy or to leave. */
  filled(isFilled: boolean): void {
    this.#newChat.hidden = !isFilled;
    this.copyButton.hidden = !isFilled;
  }

  /** The connection state; undefined: connected. */
  banner(words: string | undefined): void {
    this.#banner.hidden = words === undefined;
    setText(this.#banner, words ?? "");
  }

  /** What the person should know; undefined: nothing. */
  notice(words: string | undefined): void {
    this.#notice.hidden = words === undefined;
    setText(this.#notice, words ?? "");
  }

  /** Scrolls to the conversation and what is new in it. */
  toConversation(): void {
    this.history.hide();
    this.messages.toEnd();
  }

  /** The conversation waits for the person. */
  attend(words: string): void {
    this.toConversation();
    this.announce(words);
  }

  /** For another conversation. */
  clear(): void {
    this.history.hide();
    this.messages.clear();
  }

  /** For screen readers. */
  announce(words: string): void {
    this.#spoken.replaceChildren(make("p", { text: words }));
  }
}
