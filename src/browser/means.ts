import type { BrowserAbility } from "../protocol/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { BrowserNetwork } from "./command.ts";
import type { BrowserProgram, MissingBrowser } from "./program.ts";

/** Where one browser keeps its profile, and how it reaches the web. Both end with it. */
export interface BrowserPlace {
  /** As it is named inside of the sandbox. */
  readonly profile: string;
  readonly network: BrowserNetwork;
  close(): Promise<void>;
}

/** What a session's browser needs. */
export interface BrowserMeans {
  readonly program: BrowserProgram | MissingBrowser;
  readonly sandbox: Pick<Sandbox, "kind" | "open">;
  /** Absolute, real; the same inside of the sandbox. */
  readonly workspace: string;
  /** Called when a browser starts. */
  readonly place: () => Promise<BrowserPlace>;
  /** What the policy lets it do now. */
  readonly abilities: () => readonly BrowserAbility[];
  /** Why hosts were refused since this was asked last, in words for the model. */
  readonly refusals: () => readonly string[];
  /** Calls back once after `ms`; the answer cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** How long one tool may take. Absent: LIMITS.browserToolMs. */
  readonly toolMs?: number | undefined;
}
