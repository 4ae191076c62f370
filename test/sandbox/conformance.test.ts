import { bubblewrapDriver } from "../../src/sandbox/bubblewrap/driver.ts";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { bundleRunner } from "../../src/sandbox/container/bundle-runner.ts";
import { runnerDriver } from "../../src/sandbox/container/driver.ts";
import { containerDriver, gvisorDriver } from "../../src/sandbox/container/drivers.ts";
import { qemuDriver } from "../../src/sandbox/qemu/driver.ts";
import type { SandboxDriver } from "../../src/sandbox/driver.ts";
import { openLocalSandbox, ProcessMarks, type Sandbox } from "../../src/sandbox/index.ts";
import { removeFolder } from "../../src/sandbox/remove-folder.ts";
import { isFullRun } from "../support/sample.ts";
import { IMAGE, importImage, removeImage } from "../support/sandbox-image.ts";
import { SANDBOX_CHECKS } from "../support/sandbox-checks.ts";
import { SandboxPlace } from "../support/sandbox-place.ts";
import { TERMINAL_CHECKS } from "../support/terminal-checks.ts";

/** It is no wall, and says so. */
async function localDriver(base: string): Promise<SandboxDriver> {
  const marks = await ProcessMarks.open(base, Math.random);
  return {
    kind: "local",
    capabilities: {
      ownNetwork: false,
      ownProcesses: false,
      ownFiles: false,
      systemCalls: "all",
      limitsMemory: true,
      limitsProcesses: false,
      limitsProcessorTime: false,
    },
    missing: () => Promise.resolve(undefined),
    open: ({ sessionId, environment, memoryBytes }) => {
      const sandbox = openLocalSandbox({ sessionId, home: base, marker: base, marks, commandMemoryBytes: memoryBytes });
      const withGiven = <Request extends { readonly env?: Readonly<Record<string, string>> }>(request: Request) => ({
        ...request,
        env: { ...environment, ...request.env },
      });
      return Promise.resolve({
        ...sandbox,
        busy: sandbox.busy,
        spawn: (request) => sandbox.spawn(withGiven(request)),
        open: (request) => sandbox.open(withGiven(request)),
      });
    },
    sweep: () => Promise.resolve(0),
  };
}

/** A line for each driver. */
const DRIVERS: Readonly<Record<string, (base: string) => SandboxDriver | Promise<SandboxDriver>>> = {
  local: localDriver,
  bubblewrap: () => bubblewrapDriver(),
  "bubblewrap without control groups": () => bubblewrapDriver({ controlGroups: false }),
  crun: (base) => containerDriver({ folder: join(base, "c"), runtime: "crun" }),
  runc: (base) => containerDriver({ folder: join(base, "c"), runtime: "runc" }),
  podman: (base) => containerDriver({ folder: join(base, "c"), runtime: "podman", image: IMAGE, readable: ["/usr"] }),
  // As if it were a virtual machine: no socket is shared.
  "crun over a pipe": (base) =>
    runnerDriver({
      kind: "container",
      systemCalls: "filtered",
      folder: join(base, "c"),
      runners: [{ ...bundleRunner("crun", join(base, "c")), isMachine: true }],
      remedy: "apt-get install crun",
    }),
  runsc: (base) => gvisorDriver({ folder: join(base, "c") }),
  // An emulated processor.
  qemu: () => qemuDriver({}),
};

/** The others differ little from these: all of them run in `npm run soak`. */
const SAMPLE: ReadonlySet<string> = new Set(["local", "bubblewrap", "crun"]);

for (const [name, make] of Object.entries(DRIVERS).filter(([driver]) => isFullRun || SAMPLE.has(driver))) {
  const base = SandboxPlace.folder();
  if (name === "podman") importImage(base);
  const driver = await make(base);
  const missing = await driver.missing();
  afterAll(() => removeFolder(base));
  describe.skipIf(missing !== undefined)(
    missing === undefined ? name : `${name} is left out: ${missing.reason}; ${missing.remedy}`,
    () => {
      let place: SandboxPlace;
      let sandbox: Sandbox;
      beforeAll(async () => {
        place = new SandboxPlace(driver, base);
        sandbox = await place.open();
      });
      afterAll(async () => {
        await place[Symbol.asyncDispose]();
        if (name === "podman") removeImage();
      });
      const most = name === "qemu" ? 600_000 : undefined;
      for (const check of [...SANDBOX_CHECKS, ...TERMINAL_CHECKS])
        it(check.name, () => check.run(place, sandbox), most);
    },
  );
}
