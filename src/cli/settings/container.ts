import { join } from "node:path";
import { z } from "zod";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { ContainerOptions } from "../../sandbox/index.ts";
import type { Environment } from "./settings.ts";

const RUNTIMES = ["auto", "crun", "runc", "podman", "docker", "apple"] as const satisfies ContainerOptions["runtime"][];

/** `container` in sallyport.yaml. */
export const ContainerSettings = z
  .object({
    /** What engines run. Absent: the one made from docker/agent/Dockerfile. */
    image: z.string().min(1).max(500).optional(),
    /** A vendor's program of the image, such as `claude`. Absent: this machine's is shown inside. */
    command: z.string().min(1).max(4_096).optional(),
    /** What starts containers. Absent: `auto`. */
    runtime: z.enum(RUNTIMES).optional(),
    /** Processes and threads of one container. Absent: LIMITS.containerProcesses. */
    processes: z.number().int().min(LIMITS.containerProcessesLeast).optional(),
    /** An HTTP proxy that programs in containers are told of. Absent: none but the server's own. */
    proxy_url: z.url({ protocol: /^https?$/ }).optional(),
    /** Whether programs in document 003's /workspace can be run. Absent: they cannot. */
    executable_workspace: z.boolean().optional(),
    /** Whether `firecracker` may be a machine that QEMU emulates, where Kata is missing. Absent: it may not. */
    emulation: z.boolean().optional(),
    /** The kernel of emulated machines. Absent: the newest of /boot. */
    kernel: z.string().startsWith("/").max(4_096).optional(),
  })
  .strict();
export type ContainerSettings = z.infer<typeof ContainerSettings>;

const VARIABLES = {
  image: "SALLYPORT_CONTAINER_IMAGE",
  command: "SALLYPORT_CONTAINER_COMMAND",
  runtime: "SALLYPORT_CONTAINER_RUNTIME",
  processes: "SALLYPORT_CONTAINER_PROCESSES",
  proxy_url: "SALLYPORT_CONTAINER_PROXY_URL",
  emulation: "SALLYPORT_CONTAINER_EMULATION",
  kernel: "SALLYPORT_CONTAINER_KERNEL",
} as const;

/** Each of the environment wins over the file's. */
export function containerSettingsOf(
  environment: Environment,
  file: ContainerSettings | undefined,
): { readonly container?: ContainerSettings } {
  const given = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const text = environment[variable];
    return text === undefined || text === "" ? [] : [[name, valueOf(name, text)] as const];
  });
  if (file === undefined && given.length === 0) return {};
  const parsed = ContainerSettings.safeParse({ ...file, ...Object.fromEntries(given) });
  if (parsed.success) return { container: parsed.data };
  const [issue] = parsed.error.issues;
  const variable = Object.entries(VARIABLES).find(([name]) => name === issue?.path[0])?.[1] ?? "container";
  throw new Failure("invalid_request", `${variable}: ${issue?.message ?? "it is not valid"}`);
}

/** What is not as it should be is refused as the text that it is. */
function valueOf(name: string, text: string): string | number | boolean {
  if (name === "processes") return Number(text);
  return name === "emulation" && (text === "1" || text === "0") ? text === "1" : text;
}

/** As the drivers of containers take them. `marker` names the home. */
export function containerOptionsOf(
  settings: ContainerSettings | undefined,
  place: { readonly home: string; readonly marker: string },
): ContainerOptions {
  const { image, command, runtime, processes, proxy_url, executable_workspace, emulation, kernel } = settings ?? {};
  return {
    folder: containerFolder(place),
    image,
    command,
    runtime,
    processes,
    proxyUrl: proxy_url,
    executableScratch: executable_workspace,
    emulation: emulation === true ? { marker: place.marker, kernel } : undefined,
  };
}

/** A container of root's server runs as another user, who must be able to reach its files: the home is closed to all others. */
function containerFolder({ home, marker }: { readonly home: string; readonly marker: string }): string {
  return process.getuid?.() === 0 && process.platform === "linux"
    ? join("/run/sallyport", marker.slice(0, 12))
    : join(home, "containers");
}
