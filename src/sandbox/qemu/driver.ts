import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { bubblewrapDriver, groupsFor, openGrouped, type BubblewrapOptions } from "../bubblewrap/driver.ts";
import { HOME, launch, SEARCH_PATH, writeFiles } from "../bubblewrap/launch.ts";
import { multiplexerEnds } from "../container/multiplexer-ends.ts";
import type { ControlGroup, ControlGroups } from "../control-groups.ts";
import type { MissingSandbox, SandboxDriver, SandboxRequest } from "../driver.ts";
import { HELPER_FILES, helperCommand } from "../remote/program.ts";
import { openRemoteSandbox } from "../remote/sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { asUser, guestCommand, guestScript } from "./guest.ts";
import { findKernel, makeInitrd, type GuestKernel } from "./initrd.ts";

/** Of the program that emulates a machine, beside the machine's own memory. */
const EMULATOR_BYTES = 805_306_368;

export interface QemuOptions extends BubblewrapOptions {
  /** The guest's kernel, whose modules are in /lib/modules. Absent: the newest of /boot. */
  readonly kernel?: string | undefined;
}

/** A virtual machine that QEMU emulates, so that no hardware is needed for it. A processor in it is some twenty times slower. */
export function qemuDriver(options: QemuOptions): SandboxDriver {
  const around = bubblewrapDriver(options);
  const groups = groupsFor("qemu", options);
  return {
    kind: "firecracker",
    get capabilities() {
      return { ...around.capabilities, systemCalls: "own kernel" } as const;
    },
    async missing(): Promise<MissingSandbox | undefined> {
      if (process.platform !== "linux" || process.arch !== "x64")
        return { reason: "emulation needs Linux on x64", remedy: "use the sandbox container" };
      const kernel = findKernel(options.kernel);
      return "reason" in kernel ? kernel : around.missing();
    },
    open: (request) => open(request, groups(), options.kernel),
    // The machine ends soon after its server; a group may be left.
    sweep: async () => (await groups()?.sweep()) ?? 0,
  };
}

async function open(request: SandboxRequest, groups: ControlGroups | undefined, kernelPath?: string): Promise<Sandbox> {
  const kernel = findKernel(kernelPath);
  if ("reason" in kernel) throw new Failure("unsupported", `${kernel.reason}; ${kernel.remedy}`);
  const { memoryBytes = LIMITS.sandboxMemoryBytes } = request;
  const around = { ...request, memoryBytes: memoryBytes + EMULATOR_BYTES };
  return openGrouped(around, groups, async (group) => {
    const sandbox = await openGuest(request, kernel, group);
    return {
      ...sandbox,
      get busy() {
        return sandbox.busy;
      },
      async close() {
        await sandbox.close();
        await group?.remove();
      },
    };
  });
}

async function openGuest(
  request: SandboxRequest,
  kernel: GuestKernel,
  group: ControlGroup | undefined,
): Promise<Sandbox> {
  const { folder, forwards, memoryBytes = LIMITS.sandboxMemoryBytes } = request;
  const files = { ...writeFiles(folder), group };
  const searchPath = SEARCH_PATH.join(":");
  const initrd = join(folder, "initrd");
  const streamsPath = join(folder, "streams");
  const ends = multiplexerEnds([streamsPath, ...forwards.map(({ socket }) => socket)]);
  // Its sockets belong to the guest's root: no program can delete them, or put others in their place.
  const command = ends.inside(asUser(helperCommand({ streamsPath, forwards, memoryBytes })));
  await writeInitrd({ initrd, kernel, request, command, searchPath });
  return openRemoteSandbox({
    kind: "firecracker",
    searchPath: SEARCH_PATH,
    environment: { HOME, PATH: searchPath, TERM: "dumb", USER: "agent", LOGNAME: "agent", ...request.environment },
    streamsPath,
    memoryBytes,
    answerMs: LIMITS.machineAnswerMs,
    launch: () =>
      // What bounds programs holds inside the machine; here it would count the emulator.
      launch({ ...request, processes: undefined }, files, {
        argv: guestCommand({ kernel: kernel.path, initrd, memoryBytes }),
        cwd: "/",
        readable: [kernel.path, ...HELPER_FILES],
        environment: { PATH: searchPath },
        isCleared: true,
        before: ends.outside([]),
      }),
    destroy: () => Promise.resolve(),
  });
}

interface WantedInitrd {
  readonly initrd: string;
  readonly kernel: GuestKernel;
  readonly request: SandboxRequest;
  readonly command: readonly string[];
  readonly searchPath: string;
}

async function writeInitrd({ initrd, kernel, request, command, searchPath }: WantedInitrd): Promise<void> {
  const { folder, workspace, processes = LIMITS.sandboxProcesses } = request;
  const script = guestScript({ folder, cwd: workspace, command, searchPath, processes });
  await writeFile(initrd, makeInitrd(kernel, script), { mode: 0o444 });
}

/** The first of two that works here. */
export function eitherDriver(first: SandboxDriver, second: SandboxDriver): SandboxDriver {
  let chosen: Promise<SandboxDriver> | undefined;
  let known = first;
  const choose = (): Promise<SandboxDriver> =>
    (chosen ??= first.missing().then((missing) => {
      known = missing === undefined ? first : second;
      return known;
    }));
  return {
    kind: first.kind,
    get capabilities() {
      return known.capabilities;
    },
    missing: async () => (await choose()).missing(),
    open: async (request) => (await choose()).open(request),
    sweep: async () => (await first.sweep()) + (await second.sweep()),
  };
}
