import type { ItemStatus } from "../../../protocol/index.ts";
import { visible } from "../../ui/visible.ts";
import { PANEL_LIMITS } from "../limits.ts";
import type { PanelOptions } from "../options.ts";
import type { StepPart, ThoughtPart } from "../transcript.ts";
import { shorten, stepWords } from "../words.ts";
import { icon, make, picture, replaceIcon, setAttribute, setText, type Icon } from "./dom.ts";
import { mark, plural, t } from "../language.ts";

export type Describe = PanelOptions["describe"];

const MARKS: Readonly<Record<ItemStatus, { readonly icon: Icon; readonly label: string }>> = {
  in_progress: { icon: "dot", label: mark("running") },
  completed: { icon: "check", label: mark("done") },
  failed: { icon: "alert", label: mark("failed") },
  declined: { icon: "close", label: mark("declined") },
  timed_out: { icon: "close", label: mark("expired") },
  interrupted: { icon: "stop", label: mark("stopped") },
  superseded: { icon: "retry", label: mark("done again") },
};

const PICTURE_PX = 320;

/** Consecutive steps: one summary line, and the steps behind it. */
export class StepsView {
  readonly element: HTMLDetailsElement;
  readonly #words = make("span", { class: "steps-words" });
  readonly #list = make("div", { class: "steps-list" });
  readonly #rows = new Map<string, StepView | Thought>();
  #shown: readonly (StepPart | ThoughtPart)[] = [];

  constructor() {
    this.element = make(
      "details",
      { class: "steps" },
      make(
        "summary",
        {},
        icon("chevron"),
        make("span", { class: "pulse", attributes: { "aria-hidden": "true" } }),
        this.#words,
      ),
      this.#list,
    );
  }

  /** `isLast`: nothing of the answer follows yet. */
  update(parts: readonly (StepPart | ThoughtPart)[], isLast: boolean, describe: Describe): void {
    for (const part of parts) {
      const row = this.#rows.get(part.id) ?? this.#add(part, describe);
      if (this.#shown.includes(part)) continue;
      row.update(part as never);
    }
    for (const [id, row] of this.#rows)
      if (!parts.some((part) => part.id === id)) {
        row.element.remove();
        this.#rows.delete(id);
      }
    this.#shown = parts;
    const running = isLast ? parts.findLast(isRunning) : undefined;
    this.element.classList.toggle("running", running !== undefined);
    setText(this.#words, running === undefined ? summed(parts, describe) : `${activity(running, describe)}…`);
  }

  #add(part: StepPart | ThoughtPart, describe: Describe): StepView | Thought {
    const row = part.kind === "step" ? new StepView(describe) : new Thought();
    this.#rows.set(part.id, row);
    this.#list.append(row.element);
    return row;
  }
}

function isRunning(part: StepPart | ThoughtPart): boolean {
  return part.kind === "step" ? part.status === "in_progress" : !part.done;
}

function activity(part: StepPart | ThoughtPart, describe: Describe): string {
  return part.kind === "step" ? stepWords(part.tool, part.input, describe).replace(/(…|\.{3})$/, "") : t("Thinking");
}

/** One step in its own words; more of them as a number, with what went wrong. */
function summed(parts: readonly (StepPart | ThoughtPart)[], describe: Describe): string {
  const steps = parts.filter((part) => part.kind === "step");
  const [only] = steps;
  if (only === undefined) return t("Thought about it");
  const wrong = steps.filter(({ status }) => status === "failed" || status === "declined").length;
  const count =
    steps.length === 1
      ? activity(only, describe)
      : plural({ one: "{count} step", other: "{count} steps" }, { count: steps.length });
  if (wrong === 0) return count;
  return steps.length === 1
    ? `${count}: ${t(MARKS[only.status].label)}`
    : plural(
        { one: "{steps}, {count} of them not done", other: "{steps}, {count} of them not done" },
        { steps: count, count: wrong },
      );
}

/** One tool call: its input, and its result. */
class StepView {
  readonly element: HTMLDetailsElement;
  readonly #describe: Describe;
  readonly #words = make("span", { class: "step-words" });
  readonly #status = make("span", { class: "step-status" });
  readonly #input = make("pre", { attributes: { tabindex: "0", role: "group", "aria-label": t("Input") } });
  readonly #output = make("pre", { attributes: { tabindex: "0", role: "group", "aria-label": t("Result") } });
  readonly #result: HTMLElement;
  readonly #pictures = make("div", { class: "pictures" });
  readonly #tool = make("code");
  #part: StepPart | undefined;

  constructor(describe: Describe) {
    this.#describe = describe;
    this.#result = make("div", {}, make("div", { class: "label", text: t("Result") }), this.#output);
    this.element = make(
      "details",
      { class: "step", on: { toggle: () => this.#fill() } },
      make("summary", {}, icon("dot"), this.#words, this.#status),
      make(
        "div",
        { class: "step-body" },
        make("div", { class: "label" }, t("Tool"), " ", this.#tool),
        this.#input,
        this.#result,
        this.#pictures,
      ),
    );
  }

  update(part: StepPart): void {
    this.#part = part;
    const { status, tool, input } = part;
    setAttribute(this.element, "data-status", status);
    replaceIcon(this.element, MARKS[status].icon);
    setText(this.#words, stepWords(tool, input, this.#describe));
    setText(this.#status, status === "completed" ? "" : t(MARKS[status].label));
    this.#fill();
  }

  /** Filled only when it is opened. */
  #fill(): void {
    const part = this.#part;
    if (!this.element.open || part === undefined) return;
    setText(this.#tool, part.tool);
    setText(this.#input, visible(shorten(JSON.stringify(part.input, null, 2), PANEL_LIMITS.stepChars)));
    setText(this.#output, visible(shorten(part.output, PANEL_LIMITS.stepChars)));
    this.#result.hidden = part.output === "";
    const images = part.images.slice(0, PANEL_LIMITS.stepImages);
    if (this.#pictures.childElementCount !== images.length)
      this.#pictures.replaceChildren(...images.map((image) => picture(image, t("Picture of the result"), PICTURE_PX)));
  }
}

class Thought {
  readonly element: HTMLDetailsElement;
  readonly #text = make("div", { class: "step-body thought" });
  readonly #words = make("span", { class: "step-words" });

  constructor() {
    this.element = make("details", { class: "step" }, make("summary", {}, icon("dot"), this.#words), this.#text);
  }

  update({ text, done }: ThoughtPart): void {
    setAttribute(this.element, "data-status", done ? "completed" : "in_progress");
    replaceIcon(this.element, done ? "check" : "dot");
    setText(this.#words, done ? t("Thought") : t("Thinking"));
    setText(
      this.#text,
      text === "" ? t("The model does not show this thought.") : shorten(text, PANEL_LIMITS.stepChars),
    );
  }
}
