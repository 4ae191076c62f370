import { PANEL_LIMITS } from "../limits.ts";
import { blocksOf, type MarkdownNode } from "../markdown.ts";
import { copyText, icon, make, replaceIcon, setText } from "./dom.ts";

/** A definition may come after its use: such a text is parsed again when it is complete. */
const DEFINES = /^ {0,3}\[[^\]\n]+\]:/m;

/** Growing Markdown. Finished blocks stay; only the last one is rendered again. */
export class Prose {
  readonly element = make("div", { class: "prose" });
  #text = "";
  /** Characters of the text that are finished blocks. */
  #settled = 0;
  #last: readonly Node[] = [];
  #lastText = "";

  update(text: string, done: boolean): void {
    if (text === this.#text && !(done && DEFINES.test(text))) return;
    const whole = !text.startsWith(this.#text) || (done && DEFINES.test(text));
    this.#text = text;
    if (whole) {
      this.element.replaceChildren();
      this.#settled = 0;
      this.#last = [];
    }
    const rest = text.slice(this.#settled);
    if (!whole && rest === this.#lastText) return;
    const blocks = blocksOf(rest);
    const lastFilled = blocks.findLastIndex(({ tree }) => tree.length > 0);
    this.#clearLast();
    for (const [index, { tree, length }] of blocks.entries()) {
      const nodes = tree.map(toNode);
      this.element.append(...nodes);
      if (index < lastFilled) this.#settled += length;
      else if (index === lastFilled) this.#last = nodes;
    }
    this.#lastText = text.slice(this.#settled);
  }

  #clearLast(): void {
    for (const node of this.#last) node.parentNode?.removeChild(node);
    this.#last = [];
  }
}

export function proseOf(text: string): HTMLElement {
  const prose = new Prose();
  prose.update(text, true);
  return prose.element;
}

function toNode(tree: MarkdownNode): Node {
  if (typeof tree === "string") return document.createTextNode(tree);
  if (tree.tag === "pre") return codeBlock(tree.code, tree.language);
  const element = document.createElement(tree.tag);
  if (element instanceof HTMLAnchorElement && tree.href !== undefined) {
    element.href = tree.href;
    element.rel = "noreferrer noopener";
    element.target = "_blank";
  }
  if (element instanceof HTMLOListElement && tree.start !== undefined) element.start = tree.start;
  if (element instanceof HTMLInputElement) {
    element.type = "checkbox";
    element.disabled = true;
    element.checked = tree.checked === true;
    element.setAttribute("aria-label", tree.checked === true ? "done" : "to do");
  }
  if (tree.align !== undefined) element.className = `align-${tree.align}`;
  element.append(...tree.children.map(toNode));
  if (tree.tag !== "table") return element;
  // A wide one scrolls by itself, also by keyboard.
  return make(
    "div",
    { class: "scroller", attributes: { tabindex: "0", role: "group", "aria-label": "Table" } },
    element,
  );
}

function codeBlock(code: string, language: string): Node {
  const copy = make(
    "button",
    { class: "copy-code", attributes: { type: "button", "aria-label": "Copy code", title: "Copy code" } },
    icon("copy"),
    make("span", { text: "Copy" }),
  );
  copy.addEventListener("click", () => void copied(copy, code));
  return make(
    "div",
    { class: "code" },
    make("div", { class: "code-head" }, make("span", { text: language }), copy),
    make("pre", { attributes: { tabindex: "0", role: "group", "aria-label": "Code" } }, make("code", { text: code })),
  );
}

async function copied(copy: HTMLElement, code: string): Promise<void> {
  const words = copy.querySelector("span");
  const worked = await copyText(code);
  replaceIcon(copy, worked ? "check" : "alert");
  if (words !== null) setText(words, worked ? "Copied" : "Not copied");
  setTimeout(() => {
    replaceIcon(copy, "copy");
    if (words !== null) setText(words, "Copy");
  }, PANEL_LIMITS.copiedMs);
}
