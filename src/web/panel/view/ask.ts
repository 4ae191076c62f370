import type { Approval, AskedApproval, Decision, Outcome, Preview } from "../../../protocol/index.ts";
import { visible } from "../../ui/visible.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { stepWords, troubleOf } from "../words.ts";
import { AskPreview } from "./ask-preview.ts";
import { BudgetForm } from "./ask-budget.ts";
import { QuestionForm } from "./ask-question.ts";
import { button, icon, make, setText } from "./dom.ts";
import type { Describe } from "./steps.ts";
import { t } from "../language.ts";

export type Decide = (approval: string, decision: Decision) => Promise<void>;

/** How a question ended. `name` absent: somebody whose name is not known. */
function outcomeWords(outcome: Outcome, { isOurs, name }: { isOurs: boolean; name: string | undefined }): string {
  const who = { name: visible(name ?? t("Somebody")) };
  switch (outcome) {
    case "approved":
      return isOurs ? t("You said yes") : t("{name} said yes", who);
    case "rejected":
      return isOurs ? t("You said no") : t("{name} said no", who);
    case "timed_out":
      return t("Nobody answered in time");
    case "cancelled":
      return t("Not needed any more");
  }
}

/** A question to the person, in the middle of the answer. */
export class AskView {
  readonly element: HTMLElement;
  readonly #approval: Approval;
  readonly #decide: Decide;
  readonly #preview: AskPreview;
  readonly #actions: HTMLElement;
  /** The approving buttons, and why they are disabled; only if the content can be long. */
  readonly #yes: HTMLButtonElement[] = [];
  readonly #unseen = make("p", { class: "faint", text: t("You can say yes once all of it is shown.") });
  readonly #trouble = make("p", { class: "ask-trouble", attributes: { role: "alert" } });
  readonly #outcome = make("p", { class: "ask-outcome" });
  #ask: AskedApproval | undefined;
  /** It was answered here. */
  #isOurs = false;
  /** The answer is on its way. */
  #isBusy = false;

  constructor(ask: AskedApproval, decide: Decide, describe: Describe) {
    const { approval } = ask;
    this.#approval = approval;
    this.#decide = decide;
    this.#preview = new AskPreview(approval, () => this.#enableYes());
    this.#actions = this.#makeActions();
    const name = headline(approval, describe);
    this.element = make(
      "section",
      { class: "ask", attributes: { "aria-label": name, tabindex: "-1" } },
      make("div", { class: "ask-head" }, icon("question"), make("h3", { text: name })),
      ...this.#preview.nodes,
      ...approval.warnings.map(warningLine),
      this.#actions,
      this.#trouble,
      this.#outcome,
    );
    this.#trouble.hidden = true;
    this.#outcome.hidden = true;
    this.update(ask);
  }

  update(ask: AskedApproval): void {
    if (ask === this.#ask) return;
    this.#ask = ask;
    const { outcome, by, feedback, granted_rule: granted } = ask;
    if (outcome === undefined) return;
    const hadFocus = this.#actions.contains((this.element.getRootNode() as ShadowRoot).activeElement);
    this.element.classList.add("answered");
    this.#actions.remove();
    this.#trouble.hidden = true;
    const more =
      granted === undefined ? visible(feedback ?? "") : t("always for this chat: {rule}", { rule: visible(granted) });
    const words = outcomeWords(outcome, { isOurs: this.#isOurs, name: by?.name });
    setText(this.#outcome, `${words}${more === "" ? "." : `: ${more}`}`);
    this.#outcome.hidden = false;
    if (hadFocus) this.element.focus();
  }

  #makeActions(): HTMLElement {
    const { preview, input } = this.#approval;
    const no = (): HTMLElement => button(t("No"), () => this.#send({ decision: "reject" }), "quiet");
    if (preview.type === "question")
      return QuestionForm(preview.questions, no(), (answers) =>
        this.#send({ decision: "approve", updated_input: { ...input, answers } }),
      );
    if (preview.type === "budget")
      return BudgetForm(preview, no(), (limit) =>
        this.#send({ decision: "approve", updated_input: { limit_microusd: limit } }),
      );
    return this.#yesOrNo();
  }

  #yesOrNo(): HTMLElement {
    const rule = this.#approval.session_rule;
    const reason = make("textarea", {
      attributes: {
        rows: "2",
        "aria-label": t("Why not? The agent reads it."),
        placeholder: t("Why not? The agent reads it. (optional)"),
        maxlength: String(PANEL_LIMITS.feedbackChars),
      },
    });
    const refuse = (): void => {
      const feedback = reason.value.trim();
      this.#send({ decision: "reject", ...(feedback === "" ? {} : { feedback }) });
    };
    const rejecting = make("div", { class: "ask-reject" }, reason, button(t("Send no"), refuse, "danger"));
    rejecting.hidden = true;
    const no = button(t("No…"), () => {
      rejecting.hidden = !rejecting.hidden;
      no.setAttribute("aria-expanded", String(!rejecting.hidden));
      if (rejecting.hidden) return;
      reason.focus();
      this.element.scrollIntoView({ block: "end" });
    });
    no.setAttribute("aria-expanded", "false");
    const always =
      rule === undefined
        ? undefined
        : button(t("Always for this chat"), () => this.#send({ decision: "approve", scope: "session" }), "quiet");
    if (always !== undefined) always.title = t("Adds the rule {rule} until the chat ends", { rule: rule ?? "" });
    const yes = button(t("Yes"), () => this.#send({ decision: "approve" }), "primary");
    this.#yes.push(yes, ...(always === undefined ? [] : [always]));
    this.#enableYes();
    return make(
      "div",
      { class: "ask-actions" },
      this.#unseen,
      make("div", { class: "row" }, yes, no, always),
      rejecting,
    );
  }

  /** Nobody can approve what was not shown. */
  #enableYes(): void {
    const { isWhole } = this.#preview;
    this.#unseen.hidden = isWhole;
    for (const control of this.#yes) control.disabled = !isWhole || this.#isBusy;
  }

  #send(decision: Omit<Decision, "input_hash">): void {
    const { id, input_hash } = this.#approval;
    this.#busy(true);
    this.#isOurs = true;
    this.#trouble.hidden = true;
    this.#decide(id, { ...decision, input_hash }).catch((error: unknown) => {
      const { text, next } = troubleOf(error);
      this.#isOurs = false;
      setText(this.#trouble, next === undefined ? text : `${text} ${next}`);
      this.#trouble.hidden = false;
      this.#busy(false);
    });
  }

  #busy(busy: boolean): void {
    for (const control of this.#actions.querySelectorAll("button")) control.disabled = busy;
    this.#isBusy = busy;
    this.#enableYes();
  }
}

function headline(approval: Approval, describe: Describe): string {
  switch (approval.preview.type) {
    case "question":
      return t("The agent asks you");
    case "budget":
      return t("The budget is used up. Allow more?");
    case "network":
      return t("Let a program reach this host?");
    case "changes":
      return t("Apply these changes?");
    case "command":
      return t("Run this command?");
    case "diff":
    case "multi_diff":
    case "notebook":
      return t("Make this change?");
    case "generic":
      return `${visible(stepWords(approval.tool, approval.input, describe)).replace(/(…|\.{3})$/, "")}?`;
  }
}

export type BudgetPreview = Extract<Preview, { type: "budget" }>;

/** The server's English, with parts of the call in it. */
function warningLine({ message }: Approval["warnings"][number]): HTMLElement {
  return make("p", { class: "warning", attributes: { dir: "ltr" } }, icon("alert"), visible(message));
}
