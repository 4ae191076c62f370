import { LIMITS, type Redactor } from "../protocol/index.ts";

/** The session of an event. */
export interface SessionLabels {
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  /** The principal's id. */
  readonly agent: string;
}

/** The label of everything beyond a bound. */
export const OTHER = "other";

/**
 * The values of one label. Callers name models and tools: only a proven name gets a label, so that nobody can fill the
 * table with invented ones.
 */
export class Labels {
  readonly #redact: Redactor;
  readonly #known = new Map<string, string>();

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  /** The label of a name: itself if it is known, or proven while there is room; otherwise `other`. */
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
