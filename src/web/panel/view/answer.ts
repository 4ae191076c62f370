import { PANEL_LIMITS } from "../limits.ts";
import type { AskedApproval, NotePart, AnswerPart, StepPart, TextPart, PanelTurn } from "../transcript.ts";
import { costWords, troubleOf, type PanelTrouble } from "../words.ts";
import { AskView, type Decide } from "./ask.ts";
import { icon, iconButton, make, setText } from "./dom.ts";
import { Prose } from "./prose.ts";
import { StepsView, type Describe } from "./steps.ts";

export interface AnswerActions {
  readonly describe: Describe;
  readonly decide: Decide;
  readonly rate: (turn: string, rating: "up" | "down") => void;
}

type AnswerPartSection =
  | { readonly kind: "text"; readonly key: string; readonly part: TextPart }
  | { readonly kind: "steps"; readonly key: string; readonly parts: readonly (StepPart | TextPart)[] }
  | { readonly kind: "note"; readonly key: string; readonly part: NotePart }
  | { readonly kind: "ask"; readonly key: string; readonly ask: AskedApproval };
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
  #parts = new Map<string, AnswerPart>();

  constructor(actions: AnswerActions) {
    this.#actions = actions;
    this.#waiting.setAttribute("aria-hidden", "true");
    this.element = make(
      "article",
      { class: "answer", attributes: { "aria-label": "Answer" } },
      this.#body,
      this.#waiting,
      this.#foot,
    );
    this.#foot.hidden = true;
  }

  update(turn: PanelTurn): void {
    if (turn === this.#turn) return;
    const before = this.#turn;
    this.#turn = turn;
    const sections = sectionsOf(turn);
    for (const [index, section] of sections.entries()) this.#show(section, index === sections.length - 1);
    this.#arrange(sections);
    this.#parts = new Map(turn.parts.map((part) => [part.id, part]));
    const isOpen = turn.state === "open";
    const last = sections.at(-1);
    const busy =
      last?.kind === "steps" && last.parts.some((part) => part.kind === "step" && part.status === "in_progress");
    this.#waiting.hidden = !isOpen || busy || turn.asks.some(({ outcome }) => outcome === undefined);
    if (!isOpen && turn.state !== "queued") this.#end(turn, before);
  }

  #show(section: AnswerPartSection, isLast: boolean): void {
    const known = this.#sections.get(section.key);
    const { describe, decide } = this.#actions;
    switch (section.kind) {
      case "text": {
        const prose = known instanceof Prose ? known : this.#keep(section.key, new Prose());
        if (this.#parts.get(section.part.id) !== section.part) prose.update(section.part.text, section.part.done);
        return;
      }
      case "steps": {
        const steps = known instanceof StepsView ? known : this.#keep(section.key, new StepsView());
        steps.update(section.parts, isLast, describe);
        return;
      }
      case "ask":
        if (known instanceof AskView) known.update(section.ask);
        else this.#keep(section.key, new AskView(section.ask, decide, describe));
        return;
      case "note":
        if (known === undefined)
          this.#keep(section.key, { element: noteOf({ text: section.part.text }, section.part.tone) });
    }
  }

  #keep<Kind extends AnswerSection>(key: string, view: Kind): Kind {
    this.#sections.set(key, view);
    return view;
  }

  /** Puts every section in its place. Existing ones are not touched. */
  #arrange(sections: readonly AnswerPartSection[]): void {
    const keys = new Set(sections.map(({ key }) => key));
    for (const [key, { element }] of this.#sections) {
      if (keys.has(key)) continue;
      element.remove();
      this.#sections.delete(key);
    }
    for (const [index, { key }] of sections.entries()) {
      const element = this.#sections.get(key)?.element;
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
    this.#foot.hidden = turn.state !== "completed" && turn.cost === undefined;
  }

  #feedback(turn: string): HTMLElement {
    const thanks = make("span", { class: "thanks", attributes: { role: "status" } });
    const rate = (rating: "up" | "down"): void => {
      if (this.element.dataset["rating"] === rating) return;
      this.element.dataset["rating"] = rating;
      up.setAttribute("aria-pressed", String(rating === "up"));
      down.setAttribute("aria-pressed", String(rating === "down"));
      setText(thanks, "Thanks for your feedback!");
      setTimeout(() => setText(thanks, ""), PANEL_LIMITS.thanksMs);
      this.#actions.rate(turn, rating);
    };
    const up = iconButton("up", "Good answer", () => rate("up"));
    const down = iconButton("down", "Bad answer", () => rate("down"));
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

/** Consecutive steps are one section; a question appears where it was asked. */
function sectionsOf({ parts, asks }: PanelTurn): readonly AnswerPartSection[] {
  const sections: AnswerPartSection[] = [];
  const ask = (from: number, to: number): void => {
    for (const one of asks)
      if (one.at >= from && one.at < to) sections.push({ kind: "ask", key: `ask ${one.approval.id}`, ask: one });
  };
  for (const [index, part] of parts.entries()) {
    ask(index, index + 1);
    const last = sections.at(-1);
    if (part.kind === "note") sections.push({ kind: "note", key: part.id, part });
    else if (part.kind === "text") {
      if (part.text !== "") sections.push({ kind: "text", key: part.id, part });
    } else if (last?.kind === "steps") sections[sections.length - 1] = { ...last, parts: [...last.parts, part] };
    else sections.push({ kind: "steps", key: part.id, parts: [part] });
  }
  ask(parts.length, Number.POSITIVE_INFINITY);
  return sections;
}
