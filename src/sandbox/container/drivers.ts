import { LIMITS } from "../../protocol/index.ts";
import type { SandboxDriver } from "../driver.ts";
import { bundleRunner, type BundleRuntime } from "./bundle-runner.ts";
import { homeName, runnerDriver } from "./driver.ts";
import { eitherDriver, qemuDriver, type QemuOptions } from "../qemu/driver.ts";
import { engineRunner, type ContainerEngine } from "./engine-runner.ts";
import type { ContainerRunner } from "./plan.ts";

export interface ContainerOptions {
  /** Of this home alone: for bundles and the state of runtimes. Other users must be able to pass through the folders above it. */
  readonly folder: string;
  /** What starts containers. `auto`, and absent: the first that works, without an engine if possible. */
  readonly runtime?: "auto" | Exclude<BundleRuntime, "runsc"> | ContainerEngine | undefined;
  /** What engines run. Absent: DEFAULT_IMAGE. */
  readonly image?: string | undefined;
  /** Document 003's: a vendor's program of the image, which runs in place of this machine's. Absent: this machine's is shown inside. */
  readonly command?: string | undefined;
  /** What every container shows, beside what its session asks for: vendors' programs. */
  readonly readable?: readonly string[] | undefined;
  /** Processes and threads of one container. Absent: LIMITS.containerProcesses. */
  readonly processes?: number | undefined;
  /** Whether programs in document 003's /workspace can be run. Absent: they cannot. */
  readonly executableScratch?: boolean | undefined;
  /** Document 003's: an HTTP proxy that programs inside are told of, Node's included. */
  readonly proxyUrl?: string | undefined;
  /** Where Kata is missing, `firecracker` is a machine that QEMU emulates. Absent: it never is. */
  readonly emulation?: QemuOptions | undefined;
}

/** Made from docker/agent/Dockerfile. */
const DEFAULT_IMAGE = "sallyport/agent:latest";

const BUILD = `build -t ${DEFAULT_IMAGE} -f docker/agent/Dockerfile .`;

/** Weakest first. */
export function containerDrivers(options: ContainerOptions): readonly SandboxDriver[] {
  const kata = firecrackerDriver(options);
  const { emulation } = options;
  const machine = emulation === undefined ? kata : eitherDriver(kata, qemuDriver(emulation));
  return [containerDriver(options), gvisorDriver(options), machine];
}

/** Document 003's container: this machine's kernel, behind a filter. */
export function containerDriver(options: ContainerOptions): SandboxDriver {
  const { runtime = "auto" } = options;
  const all: readonly ContainerRunner[] = [
    ...bundles(["crun", "runc"], options),
    ...(process.platform === "darwin" ? (["apple"] as const) : []).map((engine) => engineFor(engine, options)),
    ...(["podman", "docker"] as const).map((engine) => engineFor(engine, options)),
  ];
  return runnerDriver({
    ...shared(options),
    kind: "container",
    systemCalls: "filtered",
    runners: runtime === "auto" ? all : all.filter(({ name }) => name === runtime),
    remedy: remedy(),
  });
}

function remedy(): string {
  if (process.platform === "darwin") return `brew install container && container system start && container ${BUILD}`;
  if (isRoot()) return "apt-get install crun";
  return `apt-get install podman uidmap && podman ${BUILD} (for a server that runs as root: apt-get install crun)`;
}

/** gVisor: a kernel of its own for each container. */
export function gvisorDriver(options: ContainerOptions): SandboxDriver {
  const flags = ["network=none", "platform=ptrace", "host-uds=open"];
  return runnerDriver({
    ...shared(options),
    kind: "gvisor",
    systemCalls: "own kernel",
    runners: [
      ...bundles(["runsc"], options),
      engineFor("podman", options, ["--runtime", "runsc", ...flags.flatMap((flag) => ["--runtime-flag", flag])]),
      engineFor("docker", options, ["--runtime", "runsc"]),
    ],
    remedy: isRoot() ? "apt-get install runsc" : `apt-get install runsc podman uidmap && podman ${BUILD}`,
    processes: options.processes ?? LIMITS.gvisorProcesses,
  });
}

/** Kata's names for its runtime: with Firecracker, and with the machine that it has by default. */
const KATA = ["kata-fc", "kata"] as const;

/** A virtual machine for each container, by Kata Containers. */
function firecrackerDriver(options: ContainerOptions): SandboxDriver {
  return runnerDriver({
    ...shared(options),
    kind: "firecracker",
    systemCalls: "own kernel",
    runners: KATA.flatMap((name) =>
      (["podman", "docker"] as const).map((engine) => engineFor(engine, options, ["--runtime", name])),
    ).map(asMachine),
    remedy:
      "allow emulation (slow): SALLYPORT_CONTAINER_EMULATION=1, or install Kata Containers (https://katacontainers.io) and name its runtime kata or kata-fc in Docker or Podman",
  });
}

function asMachine(runner: ContainerRunner): ContainerRunner {
  return { ...runner, isMachine: true };
}

function shared({ folder, command, readable, processes, executableScratch, proxyUrl }: ContainerOptions) {
  const proxy = proxyUrl === undefined ? {} : { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, NODE_USE_ENV_PROXY: "1" };
  return { folder, command, readable, processes, executableScratch, environment: proxy };
}

/** Without an engine it takes root to make a container whose limits hold. */
function bundles(runtimes: readonly BundleRuntime[], { folder }: ContainerOptions): readonly ContainerRunner[] {
  return process.platform === "linux" && isRoot() ? runtimes.map((runtime) => bundleRunner(runtime, folder)) : [];
}

function engineFor(engine: ContainerEngine, options: ContainerOptions, runtime?: readonly string[]): ContainerRunner {
  const { image = DEFAULT_IMAGE, folder } = options;
  return engineRunner({ engine, image, home: homeName(folder), runtime, isRoot: isRoot() });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
