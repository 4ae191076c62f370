import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import { ended } from "../ended.ts";
import { writeBundle } from "./bundle.ts";
import { UNIFIED_GROUPS, type ContainerRunner } from "./plan.ts";
import { callFilter } from "./system-calls.ts";

export type BundleRuntime = "crun" | "runc" | "runsc";

/** Before the verb. gVisor: no way out, no kernel module, and the sockets of its own folder. */
const FLAGS: Readonly<Record<BundleRuntime, readonly string[]>> = {
  crun: [],
  runc: [],
  runsc: ["--network=none", "--platform=ptrace", "--host-uds=open", "--oci-seccomp"],
};

/** In mounts of its own: nobody else misses them. */
const WITHOUT_UNIFIED = [
  "unshare",
  "--mount",
  "--propagation=private",
  "--",
  "/bin/sh",
  "-c",
  `umount ${UNIFIED_GROUPS} && exec "$@"`,
  "sh",
];

/** Runs OCI bundles without an engine: no daemon, no images, the programs of this machine. It needs root. */
export function bundleRunner(runtime: BundleRuntime, folder: string): ContainerRunner {
  const state = join(folder, runtime);
  const isMixed = runtime === "crun" && existsSync(UNIFIED_GROUPS);
  const command = [...(isMixed ? WITHOUT_UNIFIED : []), runtime, "--root", state, ...FLAGS[runtime]];
  const run = (...words: string[]): ReturnType<typeof ended> => {
    const [program = runtime, ...rest] = [...command, ...words];
    return ended(program, rest);
  };
  const left = async (): Promise<readonly string[]> => {
    const { stdout } = await run("list", "--quiet");
    return stdout.split("\n").filter((id) => id !== "");
  };
  return {
    name: runtime,
    async prepare(plan) {
      const filter = callFilter(runtime === "runsc" ? "own" : "shared");
      if (filter === undefined)
        throw new Failure("unsupported", `There is no filter for system calls on ${process.arch}: use an engine.`);
      await mkdir(state, { recursive: true, mode: 0o700 });
      await writeBundle(plan, {
        filter,
        readOnlyBelow: runtime === "runsc" ? undefined : "rro",
        group: `/sallyport/${plan.id}`,
      });
      return [...command, "run", "--bundle", plan.folder, plan.id];
    },
    async end(id, client) {
      await run("kill", id, "KILL");
      // A client that still lives deletes it, and faster.
      await client;
      if ((await left()).includes(id)) await run("delete", "--force", id);
    },
    left,
  };
}
