import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join, relative } from "node:path";

const attempt = (body) => {
  try {
    return body();
  } catch {
    return undefined;
  }
};
const wrote = (path) => attempt(() => (fs.writeFileSync(path, "from-inside"), path));
/** A folder of the machine, and not one of the same name in memory. */
const isReal = (folder) => fs.existsSync(join(folder, "marker-of-redteam"));
const wroteIn = (folder, name) => (isReal(folder) ? wrote(join(folder, name)) : undefined);
/** The first that worked. */
const first = (tries) => tries.map((body) => attempt(body)).find((done) => done !== undefined);

export const files = {
  "write beside the workspace": ({ outside }) => first(outside.map((folder) => () => wroteIn(folder, "w1"))),
  "write through a link": ({ outside, workspace }) =>
    first(
      outside.map((folder, index) => () => {
        const link = join(workspace, `link-${index}`);
        fs.symlinkSync(folder, link);
        return wroteIn(link, "w2");
      }),
    ),
  "write through /proc/self": ({ outside, workspace }) =>
    first(
      outside.flatMap((folder) => [
        () => wroteIn(`/proc/self/root${folder}`, "w3"),
        () => wroteIn(`/proc/1/root${folder}`, "w3"),
        () => wroteIn(`/proc/self/cwd/${relative(workspace, folder)}`, "w3"),
        () => {
          const here = fs.openSync(workspace, "r");
          return wroteIn(`/proc/self/fd/${here}/${relative(workspace, folder)}`, "w3");
        },
      ]),
    ),
  "a hard link to a file outside": ({ secrets, workspace }) =>
    first(
      Object.values(secrets).map((path, index) => () => {
        fs.linkSync(path, join(workspace, `hard-${index}`));
        return path;
      }),
    ),
  "rename of the workspace and the folders above it": ({ workspace }) =>
    first([
      () => (
        fs.renameSync(workspace, `${workspace}-moved`),
        fs.renameSync(`${workspace}-moved`, workspace),
        "the workspace"
      ),
      () => {
        const above = dirname(workspace);
        if (!isReal(above)) return undefined;
        fs.renameSync(above, `${above}-moved`);
        fs.renameSync(`${above}-moved`, above);
        return "the folder above";
      },
    ]),
  "write where the system lives": ({ isWalled }) =>
    first(
      (isWalled
        ? [
            "/usr/bin",
            "/usr/lib",
            "/etc",
            "/bin",
            "/",
            "/var",
            "/root",
            "/proc",
            "/proc/sys/kernel",
            "/sys",
            "/sys/fs/cgroup",
            "/opt",
            "/srv",
            "/run",
            "/dev",
          ]
        : ["/etc", "/usr/lib"]
      ).map((folder) => () => {
        const path = wrote(join(folder, `redteam-${process.pid}`));
        if (path !== undefined) fs.rmSync(path);
        return path;
      }),
    ),
  "settings of the kernel": () =>
    first(
      [
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches",
        "/proc/sysrq-trigger",
        "/proc/sys/net/ipv4/ip_forward",
      ].map((path) => () => {
        // Opened for writing, and nothing written.
        fs.closeSync(fs.openSync(path, "r+"));
        return path;
      }),
    ),
  "control groups": () =>
    first(
      [
        "/sys/fs/cgroup/cgroup.procs",
        "/sys/fs/cgroup/memory/tasks",
        "/sys/fs/cgroup/pids/tasks",
        "/sys/fs/cgroup/release_agent",
      ].map((path) => () => {
        fs.closeSync(fs.openSync(path, "r+"));
        return path;
      }),
    ),
  devices: () => {
    const allowed = new Set([
      "core",
      "console",
      "fd",
      "full",
      "mqueue",
      "null",
      "ptmx",
      "pts",
      "random",
      "shm",
      "stderr",
      "stdin",
      "stdout",
      "tty",
      "urandom",
      "zero",
    ]);
    const odd = fs.readdirSync("/dev").filter((name) => !allowed.has(name));
    return odd.length === 0 ? undefined : odd.slice(0, 5).join(", ");
  },
  "writing to the sandbox's own sockets and files": ({ isWalled, sandboxFolder }) => {
    if (!isWalled || sandboxFolder === undefined) return undefined;
    return first([
      () => wrote(join(sandboxFolder, "new")),
      ...fs
        .readdirSync(sandboxFolder)
        .flatMap((name) => [
          () => (fs.appendFileSync(join(sandboxFolder, name), "x"), name),
          () => (fs.unlinkSync(join(sandboxFolder, name)), name),
          () => (fs.chmodSync(join(sandboxFolder, name), 0o777), name),
        ]),
    ]);
  },
  "a file that runs as its owner": ({ workspace }) => {
    const path = join(workspace, "setuid");
    fs.copyFileSync("/bin/bash", path);
    return first(
      [0o4755, 0o6755, 0o2755]
        .map((mode) => () => (fs.chmodSync(path, mode), `mode ${mode.toString(8)}`))
        .concat(
          () => {
            const made = join(workspace, "setuid-new");
            fs.closeSync(fs.openSync(made, "w", 0o4755));
            return (fs.statSync(made).mode & 0o6000) === 0 ? undefined : "a new file";
          },
          () => (execFileSync("chmod", ["u+s,g+s", path], { stdio: "ignore" }), "chmod"),
        ),
    );
  },
  "what the machine's folders hold": ({ isWalled }) => {
    if (!isWalled) return undefined;
    const seen = [
      "/root",
      "/var/lib",
      "/var/log",
      "/boot",
      "/mnt",
      "/media",
      "/sys",
      "/run",
      "/etc/ssh",
      "/etc/ssl/private",
      // Podman shows a container its own control group there.
    ].filter((path) => attempt(() => fs.readdirSync(path))?.some((name) => !(path === "/sys" && name === "fs")));
    return seen.length === 0 ? undefined : seen.join(", ");
  },
  "names in folders above the workspace": ({ isWalled, workspace }) => {
    if (!isWalled) return undefined;
    return isReal(dirname(workspace)) ? fs.readdirSync(dirname(workspace)).join(", ") : undefined;
  },
};
