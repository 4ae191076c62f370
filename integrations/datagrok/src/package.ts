import * as DG from "datagrok-api/dg";
import type { Observable } from "rxjs";
import type { RuntimeAnswered } from "sallyport/client/runtime";
import { setupClaudeAIPanelUI } from "./claude-code/claude-panel.ts";
import { runtimeClient } from "./claude-code/claude-runtime-client.ts";

// The platform finds it by this name and fills it in.
export const _package = new DG.Package();

//name: setupClaudeRuntime
//description: Initializes Claude Code runtime integration
//meta.autostartImmediate: true
export async function setupClaudeRuntime(): Promise<void> {
  setupClaudeAIPanelUI(_package);
}

//name: claudeResponseStream
//description: Whole answers of Claude, as they come
//output: observable stream
export function claudeResponseStream(): Observable<RuntimeAnswered> {
  return runtimeClient().onFinal.asObservable();
}
