import type { Capabilities } from "../../../src/engines/index.ts";
import type { Bench } from "./bench.ts";

/** What was observed. `words` is what the table says of it; absent: yes or no. Always the same for the same behaviour. */
export interface Seen {
  readonly can: boolean;
  readonly words?: string;
}

/** Something that every engine is put through. It throws where an engine does what none may do. */
export interface Scenario {
  readonly name: string;
  /** The ability that it shows; absent: every engine must do as it says. */
  readonly shows?: keyof Capabilities;
  run(bench: Bench): Promise<Seen>;
}

export const YES: Seen = { can: true };
export const NO: Seen = { can: false };
/** Of a vendor's process, where there is none. */
export const NO_PROCESS: Seen = { can: true, words: "has no process of its own" };

export const bash = (command: string): object => ({ tool: "Bash", input: { command } });
