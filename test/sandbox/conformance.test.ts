import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { containerDriver, gvisorDriver } from "../../src/sandbox/container/drivers.ts";
import type { SandboxDriver } from "../../src/sandbox/driver.ts";
import { openLocalSandbox, ProcessMarks, type Sandbox } from "../../src/sandbox/index.ts";
import { has } from "../support/programs.ts";
import { SANDBOX_CHECKS } from "../support/sandbox-checks.ts";
import { SandboxPlace } from "../support/sandbox-place.ts";

const IMAGE = `localhost/sallyport-conformance:${process.pid}`;

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

/** An image of nothing but places: the programs of this machine are shown in it. */
function makeImage(base: string): void {
  const root = join(base, "image");
  for (const folder of ["usr", "etc", "proc", "sys", "dev", "tmp", "home/agent", "workspace", "repo"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${folder}`, join(root, folder));
  writeFileSync(join(root, "etc/passwd"), "agent:x:1000:1000::/home/agent:/bin/sh\n");
  const { stdout } = spawnSync("tar", ["--directory", root, "--create", "."]);
  spawnSync("podman", ["import", "--quiet", "-", IMAGE], { input: stdout });
}

/** A line for each driver. */
const DRIVERS: Readonly<Record<string, (base: string) => SandboxDriver | Promise<SandboxDriver>>> = {
  local: localDriver,
  crun: (base) => containerDriver({ folder: join(base, "c"), runtime: "crun" }),
  runc: (base) => containerDriver({ folder: join(base, "c"), runtime: "runc" }),
  podman: (base) => containerDriver({ folder: join(base, "c"), runtime: "podman", image: IMAGE, readable: ["/usr"] }),
  runsc: (base) => gvisorDriver({ folder: join(base, "c") }),
};

for (const [name, make] of Object.entries(DRIVERS)) {
  const base = SandboxPlace.folder();
  if (name === "podman" && has("podman")) makeImage(base);
  const driver = await make(base);
  const missing = await driver.missing();
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
        if (name === "podman") spawnSync("podman", ["rmi", "--force", IMAGE]);
      });
      for (const check of SANDBOX_CHECKS) it(check.name, () => check.run(place, sandbox));
    },
  );
}
