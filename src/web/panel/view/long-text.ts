import { visible, visibleCommand } from "../../ui/visible.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { piecesOf, type TextPiece } from "../pieces.ts";
import { button, make, setText } from "./dom.ts";
import { plural, t } from "../language.ts";

export interface LongTextOptions {
  readonly label: string;
  readonly text: string;
  readonly kind: "plain" | "command" | "diff";
  /** Called once, when a cut text is shown completely. */
  readonly whole: () => void;
}

/** A text that first shows only its beginning; the rest follows on request, in pieces so that the page stays usable. */
export class LongText {
  readonly element: HTMLElement;
  readonly #options: LongTextOptions;
  readonly #text: HTMLElement;
  readonly #left: TextPiece[];
  readonly #more: HTMLButtonElement | undefined;
  /** The style of the last line: the next piece may continue it. */
  #last = "same";

  constructor(options: LongTextOptions) {
    this.#options = options;
    const [first, ...rest] = piecesOf(options.text, PANEL_LIMITS.previewChars);
    this.#left = rest;
    this.#text = make("pre", {
      class: options.kind === "diff" ? "diff" : "plain",
      attributes: { tabindex: "0", role: "group", "aria-label": options.label },
    });
    if (first !== undefined) this.#add(first);
    const chars = options.text.length - (first?.text.length ?? 0);
    this.#more =
      chars === 0
        ? undefined
        : button(
            plural(
              { one: "Show all ({count} more character)", other: "Show all ({count} more characters)" },
              { count: chars },
            ),
            () => this.#showAll(),
          );
    this.element = make("div", { class: "long" }, this.#text, this.#more);
  }

  get isWhole(): boolean {
    return this.#left.length === 0;
  }

  #showAll(): void {
    if (this.#more === undefined || this.#more.ariaBusy === "true") return;
    this.#more.ariaBusy = "true";
    setText(this.#more, t("Showing all…"));
    this.#text.focus({ preventScroll: true });
    this.#next();
  }

  #next(): void {
    const piece = this.#left.shift();
    if (piece !== undefined) this.#add(piece);
    if (!this.isWhole) {
      setTimeout(() => this.#next());
      return;
    }
    this.#more?.remove();
    this.#options.whole();
  }

  #add(piece: TextPiece): void {
    this.#text.append(
      ...(this.#options.kind === "diff"
        ? this.#lines(piece)
        : [
            make("span", {
              class: "piece",
              text: (this.#options.kind === "command" ? visibleCommand : visible)(piece.text),
            }),
          ]),
    );
  }

  #lines({ text, continues }: TextPiece): readonly HTMLElement[] {
    const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
    return lines.map((line, index) => {
      if (index > 0 || !continues) this.#last = KINDS[line.slice(0, 1)] ?? "same";
      return make("span", { class: this.#last, text: `${visible(line)}\n` });
    });
  }
}

const KINDS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };
