import { bubblewrapDriver, SandboxDrivers } from "../sandbox/index.ts";

/** Every kind of sandbox. One that does not work here says so on use. */
export function openSandboxes(): SandboxDrivers {
  return new SandboxDrivers([bubblewrapDriver()]);
}
