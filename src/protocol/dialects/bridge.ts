import type { StreamFrame } from "../journal/events.ts";
import { COMPAT_START, compatRows, type CompatState } from "./bridge/compat.ts";
import { CODEX_START, codexRows, type CodexState } from "./bridge/codex.ts";
import { RICH_START, richRows, type RichState } from "./bridge/rich.ts";
import type { ThreadMapping, ThreadRow } from "./bridge/rows.ts";

export {
  BRIDGE_CONTROLS,
  BridgeControl,
  BridgeProvider,
  BridgeVerbosity,
  OUTPUT_STYLES,
  OutputStyle,
} from "./bridge/controls.ts";
export { atVerbosity } from "./bridge/verbosity.ts";
export { CodexRow, CompatRow, ThreadMapping, RichRow, type ThreadRow } from "./bridge/rows.ts";

/** What the rows of a thread depend on besides the next frame. Reset with each turn. */
export type ThreadState = CompatState | RichState | CodexState;

/** Document 002 streams Codex's own rows: `compat` of a thread of Codex is what Codex prints. */
export function mappingFor(mapping: ThreadMapping, engine: string): ThreadMapping {
  return mapping === "compat" && engine === "codex" ? "codex" : mapping;
}

export function openThread(mapping: ThreadMapping): ThreadState {
  switch (mapping) {
    case "compat":
      return COMPAT_START;
    case "rich":
      return RICH_START;
    case "codex":
      return CODEX_START;
  }
}

/** The next frame of a session's journal in document 002's words. Pure. */
export function threadRows(
  state: ThreadState,
  frame: StreamFrame,
): { readonly state: ThreadState; readonly rows: readonly ThreadRow[] } {
  switch (state.mapping) {
    case "compat":
      return compatRows(state, frame);
    case "rich":
      return richRows(state, frame);
    case "codex":
      return codexRows(state, frame);
  }
}
