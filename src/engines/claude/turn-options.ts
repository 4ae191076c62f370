import type { SessionSettings, ToolItem } from "../../protocol/index.ts";
import type { SteeredPrompt } from "../engine.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { VendorTurnOptions } from "../vendor/turn.ts";

/** A call that may run now, with its permitted input. `recalled`: a dead server permitted it. */
export interface AllowedCall {
  readonly item: ToolItem;
  readonly input: VendorFields;
  readonly recalled?: true;
}

/** What outlives a turn. */
interface VendorTurnResult {
  /** The last message of the turn; absent: nothing was said. */
  readonly lastUuid: string | undefined;
  /** What the model must still be told; absent: nothing. */
  readonly note: string | undefined;
}

export interface TurnOptions extends VendorTurnOptions {
  readonly settings: SessionSettings;
  readonly newUuid: () => string;
  /** Called with what people sent into the turn, before the program gets it. */
  readonly onSteer: (steered: SteeredPrompt) => void;
  /** Called once, before the last events are reported. */
  readonly onEnd: (end: VendorTurnResult) => void;
  /** The vendor's record of the conversation is unusable: start again without it. */
  readonly onLost: () => void;
  /** The process died before the turn produced anything: start again with another one. At most once. */
  readonly onGone: () => void;
  /** Waits until the process has written a call down that may have effects. It is neither asked about nor run before. */
  readonly recorded: (tool_use_id: string, signal: AbortSignal) => Promise<void>;
}
