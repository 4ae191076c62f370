import { answerKeys } from "../../protocol/sessions/answer-keys.ts";
import type { Question } from "../../protocol/index.ts";

/** What a person chose for one question. */
export interface Chosen {
  readonly labels: readonly string[];
  /** Words of one's own; absent: "Other" is not chosen. */
  readonly other?: string;
}

export const NOTHING_CHOSEN: Chosen = { labels: [] };

/** Selects or deselects an option. With single choice, the last one counts. */
export function choose(chosen: Chosen, label: string, multiple: boolean): Chosen {
  if (!multiple) return { labels: [label] };
  const labels = chosen.labels.includes(label)
    ? chosen.labels.filter((other) => other !== label)
    : [...chosen.labels, label];
  return { ...chosen, labels };
}

/** Chooses "Other" with these words; undefined gives it back. */
export function chooseOther(chosen: Chosen, words: string | undefined, multiple: boolean): Chosen {
  const labels = multiple ? chosen.labels : [];
  return words === undefined ? { labels } : { labels, other: words };
}

export function isAnswered({ labels, other }: Chosen): boolean {
  return labels.length > 0 || (other !== undefined && other.trim() !== "");
}

/** The answers in the tool's format: key of the question → label or text; a list for multiple choice. Open ones are left out. */
export function answersOf(
  questions: readonly Question[],
  chosen: readonly Chosen[],
): Readonly<Record<string, string | readonly string[]>> {
  const keys = answerKeys(questions);
  return Object.fromEntries(
    questions.flatMap(({ question, options, multiSelect }, index) => {
      const one = chosen[index] ?? NOTHING_CHOSEN;
      if (!isAnswered(one)) return [];
      const words = one.other?.trim() ?? "";
      // In the order of the options, whatever the order of the clicks.
      const labels = options.map(({ label }) => label).filter((label) => one.labels.includes(label));
      const all = words === "" ? labels : [...labels, words];
      return [[keys[index] ?? question, multiSelect ? all : (all[0] ?? "")] as const];
    }),
  );
}
