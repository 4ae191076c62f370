import { existsSync, lstatSync, readlinkSync, statSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { PERIOD_US } from "../control-groups.ts";
import { HOME, MEMORY_FOLDER_BYTES, SEARCH_PATH, USER, type ContainerMount, type ContainerPlan } from "./plan.ts";
import type { CallFilter } from "./system-calls.ts";

/** Folders of the system that programs come from. Where they are links, they are the same links inside. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] as const;

/** What programs need of /etc, and nothing that names this machine's people or secrets. */
const SYSTEM_SETTINGS = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/ca-certificates.conf",
  "/etc/crypto-policies",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types",
  "/etc/pki",
  "/etc/protocols",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
] as const;

/** Files that are not this machine's: one user, one host, and names looked up in these files alone. */
const OWN_FILES = {
  "/etc/passwd": `agent:x:${USER}:${USER}:agent:${HOME}:/bin/bash\n`,
  "/etc/group": `agent:x:${USER}:\n`,
  "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
  "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
} as const;

/**
 * On the outside, whom the container's own root would be, if anybody inside could become it: of the range that neither people, nor
 * services, nor other containers get.
 */
export const NOBODY = 1_900_000_000;

interface BundleOptions {
  readonly filter: CallFilter;
  /** The mount option that makes a folder read-only with what is mounted below it; absent: `ro` does. */
  readonly readOnlyBelow?: string | undefined;
  /** Of the control group, below the system's root. */
  readonly group: string;
}

/** Writes an OCI bundle: the configuration, and a root that has nothing but places to mount at. */
export async function writeBundle(plan: ContainerPlan, options: BundleOptions): Promise<void> {
  const root = join(plan.folder, "root");
  const mounts = [...systemMounts(), ...plan.mounts];
  await mkdir(root, { recursive: true });
  for (const path of SYSTEM_FOLDERS)
    if (existsSync(path) && lstatSync(path).isSymbolicLink()) await symlink(readlinkSync(path), join(root, path));
  for (const folder of ["etc", "proc", "dev", "var"]) await mkdir(join(root, folder));
  await symlink("/tmp", join(root, "var/tmp"));
  for (const [path, text] of Object.entries(OWN_FILES)) await writeFile(join(root, path), text);
  for (const [index, mount] of mounts.entries())
    if (!mounts.slice(0, index).some(({ as }) => mount.as.startsWith(`${as}/`))) await makePlace(root, mount);
  await writeFile(join(plan.folder, "config.json"), JSON.stringify(configuration(plan, mounts, options)));
}

function systemMounts(): readonly ContainerMount[] {
  return [...SYSTEM_FOLDERS, ...SYSTEM_SETTINGS]
    .filter((path) => existsSync(path) && !(isSystemFolder(path) && lstatSync(path).isSymbolicLink()))
    .map((path) => ({ kind: "bind", from: path, as: path, writable: false }));
}

function isSystemFolder(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => folder === path);
}

/** Runtimes make missing places themselves, but as a user who may write nothing here. */
async function makePlace(root: string, mount: ContainerMount): Promise<void> {
  const place = join(root, mount.as);
  if (mount.kind === "bind" && !statSync(mount.from).isDirectory()) {
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, "");
    return;
  }
  await mkdir(place, { recursive: true });
  // runc gives a folder in memory the mode of the place where it is mounted.
  if (mount.kind === "memory") await chmod(place, 0o1777);
}

function configuration(plan: ContainerPlan, mounts: readonly ContainerMount[], options: BundleOptions): unknown {
  const { uid, gid } = plan.user;
  const limit = (type: string, value: number): unknown => ({ type, soft: value, hard: value });
  const none: readonly string[] = [];
  return {
    ociVersion: "1.0.2",
    root: { path: "root", readonly: true },
    hostname: "sandbox",
    process: {
      terminal: false,
      user: { uid: USER, gid: USER },
      cwd: plan.cwd,
      args: plan.command,
      env: [`PATH=${SEARCH_PATH.join(":")}`, `HOME=${HOME}`],
      noNewPrivileges: true,
      capabilities: { bounding: none, effective: none, inheritable: none, permitted: none, ambient: none },
      rlimits: [
        limit("RLIMIT_CORE", 0),
        limit("RLIMIT_NOFILE", LIMITS.sandboxFiles),
        limit("RLIMIT_FSIZE", LIMITS.sandboxFileBytes),
      ],
    },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
      memoryMount("/dev", ["nosuid", "noexec", "mode=755", "size=65536k"]),
      {
        destination: "/dev/pts",
        type: "devpts",
        source: "devpts",
        options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"],
      },
      memoryMount("/dev/shm", ["nosuid", "nodev", "noexec", "mode=1777", `size=${MEMORY_FOLDER_BYTES}`]),
      ...mounts.map((mount) => bundleMount(mount, options)),
    ],
    linux: {
      namespaces: ["pid", "network", "ipc", "uts", "mount", "user", "cgroup"].map((type) => ({ type })),
      uidMappings: idMappings(uid),
      gidMappings: idMappings(gid),
      cgroupsPath: options.group,
      resources: {
        memory: { limit: plan.memoryBytes, swap: plan.memoryBytes },
        pids: { limit: plan.processes },
        ...(plan.cpus === undefined ? {} : { cpu: { period: PERIOD_US, quota: Math.round(plan.cpus * PERIOD_US) } }),
        devices: [{ allow: false, access: "rwm" }],
      },
      seccomp: options.filter,
      maskedPaths: [
        ...["acpi", "kcore", "keys", "latency_stats", "timer_list", "timer_stats", "sched_debug", "scsi"].map(
          (name) => `/proc/${name}`,
        ),
        "/sys/firmware",
      ],
      readonlyPaths: ["bus", "fs", "irq", "sys", "sysrq-trigger"].map((name) => `/proc/${name}`),
    },
  };
}

function idMappings(outside: number): readonly unknown[] {
  return [
    { containerID: 0, hostID: NOBODY, size: 1 },
    { containerID: USER, hostID: outside, size: 1 },
  ];
}

function bundleMount(mount: ContainerMount, { readOnlyBelow }: BundleOptions): unknown {
  if (mount.kind === "memory")
    return memoryMount(mount.as, [
      "nosuid",
      "nodev",
      ...(mount.executable ? [] : ["noexec"]),
      "mode=1777",
      `size=${MEMORY_FOLDER_BYTES}`,
    ]);
  const below = readOnlyBelow === undefined || !statSync(mount.from).isDirectory() ? [] : [readOnlyBelow];
  const access = mount.writable ? ["rw"] : ["ro", ...below];
  return {
    destination: mount.as,
    type: "bind",
    source: mount.from,
    options: ["rbind", "nosuid", "nodev", ...access],
  };
}

function memoryMount(destination: string, options: readonly string[]): unknown {
  return { destination, type: "tmpfs", source: "tmpfs", options };
}
