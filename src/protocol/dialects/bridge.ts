import type { StreamFrame } from "../events.ts";
import { COMPAT_START, compatRows, type CompatState } from "./bridge/compat.ts";
import { RICH_START, richRows, type RichState } from "./bridge/rich.ts";
import type { ThreadMapping, ThreadRow } from "./bridge/rows.ts";

export { BRIDGE_CONTROLS, BridgeControl, BridgeProvider } from "./bridge/controls.ts";
export { CompatRow, ThreadMapping, RichRow, type ThreadRow } from "./bridge/rows.ts";

/** What the rows of a thread depend on besides the next frame. Reset with each turn. */
export type ThreadState = CompatState | RichState;

export function openThread(mapping: ThreadMapping): ThreadState {
  return mapping === "compat" ? COMPAT_START : RICH_START;
}

/** The next frame of a session's journal in document 002's words. Pure. */
export function threadRows(
  state: ThreadState,
  frame: StreamFrame,
): { readonly state: ThreadState; readonly rows: readonly ThreadRow[] } {
  return state.mapping === "compat" ? compatRows(state, frame) : richRows(state, frame);
}
