import { parseDollars, writeDollars } from "../../ui/dollars.ts";
import type { BudgetPreview } from "./ask.ts";
import { make, setText } from "./dom.ts";
import { exactDollars, t } from "../language.ts";

/** A limit of money is reached: how much shall it be from now on? */
export function BudgetForm(
  preview: BudgetPreview,
  no: HTMLElement,
  answer: (limitMicrousd: number) => void,
): HTMLElement {
  const { shortage, proposed_limit_microusd: proposed } = preview;
  const words = make("p", { class: "ask-trouble", attributes: { role: "alert" } });
  words.hidden = true;
  const amount = make("input", {
    attributes: {
      type: "text",
      inputmode: "decimal",
      value: writeDollars(proposed),
      "aria-label": t("New limit in dollars"),
    },
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    const limit = parseDollars(amount.value);
    const wrong =
      limit === undefined
        ? t("Write an amount in dollars, such as 2.50.")
        : limit <= shortage.limit_microusd
          ? t("It must be more than the limit of now, {limit}.", { limit: exactDollars(shortage.limit_microusd) })
          : undefined;
    words.hidden = wrong === undefined;
    setText(words, wrong ?? "");
    if (limit !== undefined && wrong === undefined) answer(limit);
  };
  return make(
    "form",
    { class: "ask-actions", on: { submit } },
    make(
      "div",
      { class: "row" },
      make("label", { class: "amount" }, t("New limit $"), amount),
      make("button", { class: "button primary", text: t("Set the limit"), attributes: { type: "submit" } }),
      no,
    ),
    words,
  );
}
