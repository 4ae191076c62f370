import { LIMITS } from "../../protocol/index.ts";

/**
 * Whether an agent reports its calls of our tools before they are answered. That decides how long such a call waits for its report: the
 * words before a call come with it, and a busy machine makes it late.
 */
export class CallReports {
  #areUsual: boolean;

  /** `areUsual`: the agent is known to report them. */
  constructor({ areUsual }: { readonly areUsual: boolean }) {
    this.#areUsual = areUsual;
  }

  get waitMs(): number {
    return this.#areUsual ? LIMITS.engineMatchMs : LIMITS.agentReportMs;
  }

  /** A report came while its call was open. */
  came(): void {
    this.#areUsual = true;
  }

  /** No report came in the whole wait, so the next call waits less. */
  missed(): void {
    this.#areUsual = false;
  }
}
