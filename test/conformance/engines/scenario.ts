import type { Capabilities } from "../../../src/engines/index.ts";
import type { Bench } from "./bench.ts";

/** What was observed. `how`: a few words for the table; absent: there is nothing to add. */
export interface Seen {
  readonly can: boolean;
  readonly how?: string;
}

/** Something that every engine is put through. It throws where an engine does what none may do. */
export interface Scenario {
  readonly name: string;
  /** The ability that it shows; absent: one that every engine must have. */
  readonly shows?: keyof Capabilities;
  run(bench: Bench): Promise<Seen>;
}

export const YES: Seen = { can: true };
export const NO: Seen = { can: false };

export const bash = (command: string): object => ({ tool: "Bash", input: { command } });
