import { PANEL_LIMITS } from "../limits.ts";
import type { AnswerPart, PanelTurn, StepPart, ThoughtPart } from "../transcript.ts";
import { costWords, troubleOf, type PanelTrouble } from "../words.ts";
import { AskView, type Decide } from "./ask.ts";
import { bubbleOf } from "./bubble.ts";
import { icon, iconButton, make, setText } from "./dom.ts";
import { Prose } from "./prose.ts";
import { StepsView, type Describe } from "./steps.ts";
import { t } from "../language.ts";

export interface AnswerActions {
  readonly describe: Describe;
  readonly decide: Decide;
  readonly rate: (turn: string, rating: "up" | "down") => void;
}

type StepsSection = {
  readonly kind: "steps";
  readonly id: string;
  readonly parts: readonly (StepPart | ThoughtPart)[];
};
type AnswerPartSection = Exclude<AnswerPart, StepPart | ThoughtPart> | StepsSection;
type AnswerSection = Prose | StepsView | AskView | { readonly element: HTMLElement };

/** Somebody ended the answer, or a limit did: not a failure. */
const WANTED: ReadonlySet<string> = new Set(["aborted", "rejected_and_stopped", "max_turns"]);

/** One answer: the same element from its first word to its last. */
export class AnswerView {
  readonly element: HTMLElement;
  readonly #actions: AnswerActions;
  readonly #body = make("div", { class: "answer-body" });
  readonly #waiting = make("div", { class: "waiting" }, make("i"), make("i"), make("i"));
  readonly #foot = make("div", { class: "answer-foot" });
  readonly #sections = new Map<string, AnswerSection>();
  #turn: PanelTurn | undefined;

  constructor(actions: AnswerActions) {
    this.#actions = actions;
    this.#waiting.setAttribute("aria-hidden", "true");
    this.element = make(
      "article",
      { class: "answer", attributes: { "aria-label": t("Answer") } },
      this.#body,
      this.#waiting,
      this.#foot,
    );
    this.#foot.hidden = true;
  }

  update(turn: PanelTurn): void {
    if (turn === this.#turn) return;
    const before = this.#turn;
    const sections = sectionsOf(turn);
    for (const [index, section] of sections.entries()) this.#show(section, index === sections.length - 1);
    this.#arrange(sections);
    this.#turn = turn;
    const isOpen = turn.state === "open";
    const last = sections.at(-1);
    const busy =
      last?.kind === "steps" && last.parts.some((part) => part.kind === "step" && part.status === "in_progress");
    this.#waiting.hidden =
      !isOpen || busy || turn.parts.some((part) => part.kind === "ask" && part.ask.outcome === undefined);
    if (!isOpen && turn.state !== "queued") this.#end(turn, before);
  }

  #show(section: AnswerPartSection, isLast: boolean): void {
    const known = this.#sections.get(section.id);
    const { describe, decide } = this.#actions;
    switch (section.kind) {
      case "text": {
        const prose = known instanceof Prose ? known : this.#keep(section.id, new Prose());
        if (this.#turn?.parts.includes(section) !== true) prose.update(section.text, section.done);
        return;
      }
      case "steps": {
        const steps = known instanceof StepsView ? known : this.#keep(section.id, new StepsView());
        steps.update(section.parts, isLast, describe);
        return;
      }
      case "ask":
        if (known instanceof AskView) known.update(section.ask);
        else this.#keep(section.id, new AskView(section.ask, decide, describe));
        return;
      case "said":
        if (known === undefined)
          this.#keep(section.id, { element: bubbleOf(section.prompt.text, section.prompt.attachments ?? []) });
        return;
      case "note":
        if (known === undefined) this.#keep(section.id, { element: noteOf({ text: section.text }, section.tone) });
    }
  }

  #keep<Kind extends AnswerSection>(key: string, view: Kind): Kind {
    this.#sections.set(key, view);
    return view;
  }

  /** Puts every section in its place. Existing ones are not touched. */
  #arrange(sections: readonly AnswerPartSection[]): void {
    const keys = new Set(sections.map(({ id }) => id));
    for (const [key, { element }] of this.#sections) {
      if (keys.has(key)) continue;
      element.remove();
      this.#sections.delete(key);
    }
    for (const [index, { id }] of sections.entries()) {
      const element = this.#sections.get(id)?.element;
      const there = this.#body.children[index];
      if (element !== undefined && element !== there) this.#body.insertBefore(element, there ?? null);
    }
  }

  #end(turn: PanelTurn, before: PanelTurn | undefined): void {
    if (before?.state !== turn.state) {
      if (turn.error !== undefined)
        this.#body.append(noteOf(troubleOf(turn.error), WANTED.has(turn.error.code) ? "plain" : "bad"));
      this.#foot.replaceChildren(
        ...(turn.state === "completed" ? [this.#feedback(turn.id)] : []),
        make("span", { class: "cost" }),
      );
    }
    const cost = this.#foot.querySelector(".cost");
    if (cost !== null) setText(cost, costWords(turn));
    this.#foot.hidden = turn.state !== "completed" && turn.cost_microusd === undefined;
  }

  #feedback(turn: string): HTMLElement {
    const thanks = make("span", { class: "thanks", attributes: { role: "status" } });
    const rate = (rating: "up" | "down"): void => {
      if (this.element.dataset["rating"] === rating) return;
      this.element.dataset["rating"] = rating;
      up.setAttribute("aria-pressed", String(rating === "up"));
      down.setAttribute("aria-pressed", String(rating === "down"));
      setText(thanks, t("Thanks for your feedback!"));
      setTimeout(() => setText(thanks, ""), PANEL_LIMITS.thanksMs);
      this.#actions.rate(turn, rating);
    };
    const up = iconButton("up", t("Good answer"), () => rate("up"), "good");
    const down = iconButton("down", t("Bad answer"), () => rate("down"), "bad");
    for (const one of [up, down]) one.setAttribute("aria-pressed", "false");
    return make("div", { class: "feedback" }, up, down, thanks);
  }
}

export function noteOf({ text, next }: PanelTrouble, tone: "plain" | "bad"): HTMLElement {
  return make(
    "p",
    { class: `note ${tone}` },
    icon(tone === "bad" ? "alert" : "dot"),
    make("span", {}, text, next === undefined ? undefined : ` ${next}`),
  );
}

/** Steps and thoughts that follow each other are one section. */
function sectionsOf({ parts }: PanelTurn): readonly AnswerPartSection[] {
  const sections: AnswerPartSection[] = [];
  for (const part of parts) {
    const last = sections.at(-1);
    if (part.kind !== "step" && part.kind !== "thought") sections.push(part);
    else if (last?.kind === "steps") sections[sections.length - 1] = { ...last, parts: [...last.parts, part] };
    else sections.push({ kind: "steps", id: part.id, parts: [part] });
  }
  return sections;
}
