import type { Question } from "../../../protocol/index.ts";
import { answersOf, isAnswered, type Chosen } from "../../ui/answers.ts";
import { visible } from "../../ui/visible.ts";
import { PANEL_LIMITS } from "../limits.ts";
import { make, setText } from "./dom.ts";
import { plural, t } from "../language.ts";

/** The agent's own questions as a form. */
export function QuestionForm(
  questions: readonly Question[],
  no: HTMLElement,
  answer: (answers: ReturnType<typeof answersOf>) => void,
): HTMLElement {
  const fields = questions.map((question, index) => new QuestionField(question, index));
  const words = make("p", { class: "ask-trouble", attributes: { role: "alert" } });
  words.hidden = true;
  const submit = (event: Event): void => {
    event.preventDefault();
    const chosen = fields.map((field) => field.chosen);
    const open = chosen.filter((one) => !isAnswered(one)).length;
    words.hidden = open === 0;
    setText(words, plural({ one: "One question is open.", other: "{count} questions are open." }, { count: open }));
    if (open === 0) answer(answersOf(questions, chosen));
  };
  const send = make("button", {
    class: "button primary",
    text: plural({ one: "Send the answer", other: "Send the answers" }, { count: questions.length }),
    attributes: { type: "submit" },
  });
  return make(
    "form",
    { class: "ask-actions", on: { submit } },
    ...fields.map(({ element }) => element),
    words,
    make("div", { class: "row" }, send, no),
  );
}

class QuestionField {
  readonly element: HTMLFieldSetElement;
  readonly #options: readonly { readonly label: string; readonly input: HTMLInputElement }[];
  readonly #other: HTMLInputElement;
  readonly #words: HTMLInputElement;

  constructor({ question, header, options, multiSelect }: Question, index: number) {
    const choice = (): HTMLInputElement =>
      make("input", { attributes: { type: multiSelect ? "checkbox" : "radio", name: `question-${String(index)}` } });
    this.#options = options.map(({ label }) => ({ label, input: choice() }));
    this.#other = choice();
    this.#other.setAttribute("aria-label", t("Other"));
    this.#words = make("input", {
      attributes: {
        type: "text",
        placeholder: t("In your own words"),
        "aria-label": t("Your own answer"),
        maxlength: String(PANEL_LIMITS.feedbackChars),
      },
      on: { input: () => (this.#other.checked = this.#words.value !== "") },
    });
    this.element = make(
      "fieldset",
      {},
      make("legend", { text: visible(header === "" ? question : `${header}: ${question}`) }),
      ...options.map(({ label, description }, at) =>
        make(
          "label",
          { class: "choice" },
          this.#options[at]?.input,
          make(
            "span",
            {},
            make("strong", { text: visible(label) }),
            make("span", { class: "faint", text: visible(description) }),
          ),
        ),
      ),
      make("div", { class: "choice" }, this.#other, this.#words),
    );
  }

  get chosen(): Chosen {
    const labels = this.#options.flatMap(({ label, input }) => (input.checked ? [label] : []));
    return this.#other.checked ? { labels, other: this.#words.value } : { labels };
  }
}
