import { mkdir, rm } from "node:fs/promises";
import type { Server } from "node:net";
import { join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import type { Forward, MissingSandbox, SandboxDriver, SandboxRequest } from "../driver.ts";
import { ended } from "../ended.ts";
import { openLocalSandbox } from "../local.ts";
import { openPort } from "../remote/forward.ts";
import type { OpenRequest, Sandbox } from "../sandbox.ts";
import { seatbeltProfile } from "./profile.ts";

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";
const PATH = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/**
 * Programs of this machine behind a profile of macOS's own sandbox. They are the server's user, see the names of other processes, and
 * reach the files and sockets that they were given. It was written without a Mac, and no test has run it.
 */
export function seatbeltDriver(options: { readonly marker: string }): SandboxDriver {
  let tried: Promise<MissingSandbox | undefined> | undefined;
  return {
    kind: "seatbelt",
    capabilities: {
      ownNetwork: true,
      ownProcesses: false,
      ownFiles: true,
      systemCalls: "all",
      limitsMemory: true,
      limitsProcesses: false,
      limitsProcessorTime: false,
    },
    missing: () => (tried ??= tryOut()),
    open: (request) => open(request, options.marker),
    // Its programs are found as those of `local` are.
    sweep: () => Promise.resolve(0),
  };
}

async function tryOut(): Promise<MissingSandbox | undefined> {
  if (process.platform !== "darwin") return { reason: "it needs macOS", remedy: "use the sandbox bubblewrap" };
  const nothing = { readable: [], writable: [], hidden: [], sockets: [], ports: [] };
  const { code, stderr } = await ended(SANDBOX_EXEC, ["-p", seatbeltProfile(nothing), "/usr/bin/true"]);
  if (code === 0) return undefined;
  const reason = stderr.trim() === "" ? "sandbox-exec does not start programs" : stderr.trim();
  return { reason, remedy: "use the sandbox container" };
}

async function open(request: SandboxRequest, marker: string): Promise<Sandbox> {
  if (request.cpus !== undefined)
    throw new Failure("unsupported", "seatbelt cannot bound processor time; leave sandbox_cpus out.");
  const [home, temporary] = [join(request.folder, "home"), join(request.folder, "tmp")];
  for (const folder of [home, temporary]) await mkdir(folder, { mode: 0o700 });
  const forwards = await Promise.all(request.forwards.map(openForward));
  const profile = seatbeltProfile({
    readable: request.readable,
    writable: [request.workspace, ...request.writable, home, temporary],
    hidden: request.hidden,
    sockets: [join(request.folder, "model")],
    ports: forwards.map(({ port }) => port),
  });
  const sandbox = openLocalSandbox({
    sessionId: request.sessionId,
    home,
    marker,
    path: PATH,
    memoryBytes: request.memoryBytes,
    commandMemoryBytes: request.memoryBytes,
  });
  const given = { ...withPorts(request.environment, forwards), TMPDIR: temporary };
  const inside = <Request extends OpenRequest>(wanted: Request): Request => ({
    ...wanted,
    argv: [SANDBOX_EXEC, "-p", profile, ...wanted.argv.map((word) => renamed(word, forwards))],
    env: { ...given, ...withPorts(wanted.env ?? {}, forwards) },
  });
  return {
    ...sandbox,
    kind: "seatbelt",
    get busy() {
      return sandbox.busy;
    },
    spawn: (wanted) => sandbox.spawn(inside(wanted)),
    open: (wanted) => sandbox.open(inside(wanted)),
    async close() {
      await sandbox.close();
      for (const { server } of forwards) server.close();
      for (const folder of [home, temporary]) await rm(folder, { recursive: true, force: true });
    },
  };
}

interface OpenForward {
  /** The port that was asked for: all sandboxes ask for the same. */
  readonly wanted: number;
  /** The one of this sandbox. */
  readonly port: number;
  readonly server: Server;
}

/** There is one loopback for all sandboxes: each has ports of its own, and its profile allows those alone. */
async function openForward({ port: wanted, socket }: Forward): Promise<OpenForward> {
  return { wanted, ...(await openPort({ port: 0, socket })) };
}

/** What names a port that was asked for names that of this sandbox. */
export function withPorts(
  environment: Readonly<Record<string, string>>,
  forwards: readonly Pick<OpenForward, "wanted" | "port">[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, renamed(text, forwards)]));
}

function renamed(text: string, forwards: readonly Pick<OpenForward, "wanted" | "port">[]): string {
  return forwards.reduce(
    (sum, { wanted, port }) => sum.replace(new RegExp(`\\b127\\.0\\.0\\.1:${wanted}\\b`, "g"), `127.0.0.1:${port}`),
    text,
  );
}
