import { PANEL_LIMITS } from "../limits.ts";
import { GrowingMarkdown } from "../../ui/markdown/growing.ts";
import type { MarkdownBlock, MarkdownNode } from "../../ui/markdown/tree.ts";
import { copyText, icon, make, replaceIcon, setText } from "./dom.ts";
import { t } from "../language.ts";

/** The page's own headings are above those of an answer. */
const PLACED: Readonly<Record<string, string>> = { h1: "h3", h2: "h3", h3: "h4", h4: "h5", h5: "h6" };

/** Growing Markdown. Finished blocks stay; only the last one is rendered again. */
export class Prose {
  readonly element = make("div", { class: "prose" });
  readonly #markdown = new GrowingMarkdown({ breaks: true });
  #shown: readonly { readonly block: MarkdownBlock; readonly nodes: readonly Node[] }[] = [];

  update(text: string, done: boolean): void {
    const blocks = this.#markdown.update(text, done ? "done" : "growing");
    const changed = blocks.findIndex((block, index) => block !== this.#shown[index]?.block);
    const kept = this.#shown.slice(0, changed === -1 ? blocks.length : changed);
    for (const { nodes } of this.#shown.slice(kept.length)) {
      for (const node of nodes) node.parentNode?.removeChild(node);
    }
    const made = blocks.slice(kept.length).map((block) => ({ block, nodes: block.tree.map(toNode) }));
    this.element.append(...made.flatMap(({ nodes }) => nodes));
    this.#shown = [...kept, ...made];
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
  if (tree.tag === "math") return document.createTextNode(tree.tex);
  const element = document.createElement(PLACED[tree.tag] ?? tree.tag);
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
    element.setAttribute("aria-label", tree.checked === true ? t("done") : t("to do"));
  }
  if (tree.align !== undefined) element.className = `align-${tree.align}`;
  element.append(...tree.children.map(toNode));
  if (tree.tag !== "table") return element;
  // A wide one scrolls by itself, also by keyboard.
  return make(
    "div",
    { class: "scroller", attributes: { tabindex: "0", role: "group", "aria-label": t("Table") } },
    element,
  );
}

function codeBlock(code: string, language: string): Node {
  const copy = make(
    "button",
    { class: "copy-code", attributes: { type: "button", "aria-label": t("Copy code"), title: t("Copy code") } },
    icon("copy"),
    make("span", { text: t("Copy") }),
  );
  copy.addEventListener("click", () => void copied(copy, code));
  return make(
    "div",
    { class: "code" },
    make("div", { class: "code-head" }, make("span", { text: language }), copy),
    make(
      "pre",
      { attributes: { tabindex: "0", role: "group", "aria-label": t("Code") } },
      make("code", { text: code }),
    ),
  );
}

async function copied(copy: HTMLElement, code: string): Promise<void> {
  const words = copy.querySelector("span");
  const worked = await copyText(code);
  replaceIcon(copy, worked ? "check" : "alert");
  if (words !== null) setText(words, worked ? t("Copied") : t("Not copied"));
  setTimeout(() => {
    replaceIcon(copy, "copy");
    if (words !== null) setText(words, t("Copy"));
  }, PANEL_LIMITS.copiedMs);
}
