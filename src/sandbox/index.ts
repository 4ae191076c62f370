export { bubblewrapDriver } from "./bubblewrap/driver.ts";
export { sandboxUser } from "./bubblewrap/user.ts";
export type { SandboxRequest } from "./driver.ts";
export { SandboxDrivers, type SandboxState } from "./drivers.ts";
export { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from "./folders.ts";
export { openLocalSandbox, reapOrphans, type LocalSandboxOptions } from "./local.ts";
export { ProcessMarks } from "./marks.ts";
export type { KillOptions, Running, Sandbox, SpawnRequest } from "./sandbox.ts";
export { startWatchdog } from "./watchdog.ts";
