export { openLocalSandbox, reapOrphans, type LocalSandboxOptions } from "./local.ts";
export { ProcessMarks } from "./marks.ts";
export type { KillOptions, Running, Sandbox, SpawnRequest } from "./sandbox.ts";
export { startWatchdog } from "./watchdog.ts";
