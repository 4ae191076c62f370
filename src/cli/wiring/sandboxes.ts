import { bubblewrapDriver, containerDrivers, SandboxDrivers, seatbeltDriver } from "../../sandbox/index.ts";
import { containerOptionsOf } from "../settings/container.ts";
import type { Settings } from "../settings/settings.ts";

/** Every kind of sandbox. One that does not work here says so on use. `marker` names the home. */
export function openSandboxes(
  settings: Settings,
  place: { readonly home: string; readonly marker: string },
): SandboxDrivers {
  return new SandboxDrivers([
    seatbeltDriver({ marker: place.marker }),
    bubblewrapDriver({ marker: place.marker }),
    ...containerDrivers(containerOptionsOf(settings.container, place)),
  ]);
}
