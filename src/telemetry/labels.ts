import { LIMITS, type Redactor } from "../protocol/index.ts";

/** Whose an event is. */
export interface SessionLabels {
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  /** The principal's id. */
  readonly agent: string;
}

/** What everything beyond a bound counts as. */
export const OTHER = "other";

/**
 * The values of one label. Models and tools are named by whoever asks for them: only a name that has proven itself gets a
 * label, so that nobody can fill the table with invented ones.
 */
export class Labels {
  readonly #redact: Redactor;
  readonly #known = new Map<string, string>();

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  /** The label of a name: itself where it is known, or proven while there is room; else `other`. */
  of(name: string, proven: boolean): string {
    if (name === "") return "";
    const cut = name.length > LIMITS.metricLabelChars ? name.slice(0, LIMITS.metricLabelChars) : name;
    const known = this.#known.get(cut);
    if (known !== undefined) return known;
    if (!proven || this.#known.size >= LIMITS.metricLabelValues) return OTHER;
    const label = this.#redact(cut);
    this.#known.set(cut, label);
    return label;
  }
}
