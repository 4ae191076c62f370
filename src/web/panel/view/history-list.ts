import { titleOf, type RememberedChat } from "../history.ts";
import { button, make } from "./dom.ts";
import { t } from "../language.ts";

export interface HistoryActions {
  readonly list: () => Promise<readonly RememberedChat[]>;
  readonly choose: (conversation: RememberedChat) => void;
  readonly clear: () => Promise<void>;
  readonly closed: () => void;
}

/** Earlier chats, shown over the conversation. */
export class HistoryList {
  readonly element = make("div", { class: "history", attributes: { role: "dialog", "aria-label": t("History") } });
  readonly #actions: HistoryActions;

  constructor(actions: HistoryActions) {
    this.#actions = actions;
    this.element.hidden = true;
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  async open(): Promise<void> {
    await this.#show();
    this.element.hidden = false;
    this.element.querySelector("button")?.focus();
  }

  close(): void {
    if (this.element.hidden) return;
    this.hide();
    this.#actions.closed();
  }

  /** Shows the conversation again. The focus stays where it is. */
  hide(): void {
    this.element.hidden = true;
  }

  async #show(): Promise<void> {
    const all = await this.#actions.list();
    const items = all.map((one) => {
      const when = new Date(one.timestamp);
      const item = button(
        "",
        () => {
          this.close();
          this.#actions.choose(one);
        },
        "history-item",
      );
      item.append(
        make("span", { class: "history-title", text: titleOf(one) }),
        make("time", { class: "faint", text: when.toLocaleString(), attributes: { datetime: when.toISOString() } }),
      );
      return make("li", {}, item);
    });
    const head = make(
      "div",
      { class: "history-head" },
      make("h3", { text: t("History") }),
      button(t("Close"), () => this.close(), "quiet"),
    );
    if (items.length === 0) {
      this.element.replaceChildren(
        head,
        make("p", { class: "faint", text: t("No chats here yet. They are kept in this browser.") }),
      );
      return;
    }
    this.element.replaceChildren(head, make("ul", {}, ...items), this.#clearing());
  }

  #clearing(): HTMLElement {
    const row = make("div", { class: "history-foot" });
    const ask = (): void => {
      const yes = button(t("Clear"), () => void this.#actions.clear().then(() => this.open()), "danger");
      row.replaceChildren(
        make("span", { text: t("Forget all chats in this browser?") }),
        yes,
        button(t("Keep"), () => void this.open(), "quiet"),
      );
      yes.focus();
    };
    row.append(button(t("Clear All History"), ask, "quiet"));
    return row;
  }

  #key(event: KeyboardEvent): void {
    const items = [...this.element.querySelectorAll<HTMLButtonElement>(".history-item")];
    const at = items.indexOf((this.element.getRootNode() as ShadowRoot).activeElement as HTMLButtonElement);
    if (event.key === "Escape") {
      event.stopPropagation();
      this.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      items.at((at + (event.key === "ArrowDown" ? 1 : -1)) % Math.max(1, items.length))?.focus();
    }
  }
}
