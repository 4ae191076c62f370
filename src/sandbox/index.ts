export { openLocalSandbox, reapOrphans, type LocalSandboxOptions } from "./local.ts";
export type { KillOptions, Running, Sandbox, SpawnRequest } from "./sandbox.ts";
