/** The sandboxes that are attacked. A driver is added by one line. */
import { bubblewrapDriver, openLocalSandbox } from "../../../dist/sandbox/index.js";

export const DRIVERS = {
  bubblewrap: bubblewrapDriver,
};

/** The control: no wall at all. */
export const CONTROL = "local";

export function openControl(request) {
  const { sessionId, folder } = request;
  return openLocalSandbox({ sessionId, home: folder, marker: `redteam-${folder}`, environment: process.env });
}
