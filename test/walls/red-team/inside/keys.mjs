import { execFileSync } from "node:child_process";
import { lstatSync, openSync, readFileSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { dirname } from "node:path";

/** What canaries look like. This text is no canary itself. */
const CANARY = /canary-[a-z]+-[0-9a-f]{24}/g;

const bytesOf = (path) => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};
const namesIn = (path) => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};
/** Kinds of the canaries in it, without their secret half. */
const canariesIn = (text) => [...new Set([...text.matchAll(CANARY)].map(([word]) => word.replace(/-[0-9a-f]+$/, "")))];
const told = (found) => (found.length === 0 ? undefined : [...new Set(found)].join(", "));
const processes = () => namesIn("/proc").filter((name) => /^\d+$/.test(name));

/** The start of what a descriptor of another process reads; it does not wait for a pipe. */
function startOf(path) {
  try {
    const file = openSync(path, 0o4000);
    const bytes = Buffer.alloc(65_536);
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch {
    return "";
  }
}

/** The writable memory of a process, as far as it can be read. */
function memoryOf(pid) {
  const found = [];
  for (const line of bytesOf(`/proc/${pid}/maps`).split("\n")) {
    const area = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
    if (area === null) continue;
    const start = Number.parseInt(area[1], 16);
    const length = Math.min(Number.parseInt(area[2], 16) - start, 16_777_216);
    try {
      const memory = openSync(`/proc/${pid}/mem`, "r");
      const bytes = Buffer.alloc(length);
      found.push(...canariesIn(bytes.toString("latin1", 0, readSync(memory, bytes, 0, length, start))));
    } catch {
      continue;
    }
    if (found.length > 0) break;
  }
  return found;
}

const everyProcess = (file) => () => told(processes().flatMap((pid) => canariesIn(bytesOf(`/proc/${pid}/${file}`))));

export const keys = {
  "secrets by their paths": ({ secrets }) => told(Object.values(secrets).flatMap((path) => canariesIn(bytesOf(path)))),
  "secrets through /proc/self/root and links": ({ secrets }) =>
    told(
      Object.values(secrets).flatMap((path) =>
        [
          "/proc/self/root",
          "/proc/1/root",
          "/proc/1/cwd/../../../../../..",
          "/proc/self/cwd/../../../../../../..",
        ].flatMap((start) => canariesIn(bytesOf(start + path))),
      ),
    ),
  "names of what is secret": ({ secrets }) =>
    told(Object.values(secrets).filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)),
  "the environment of every process": everyProcess("environ"),
  "the command line of every process": everyProcess("cmdline"),
  "the server's folders in /proc": ({ server, secrets }) =>
    told(
      [
        "environ",
        "cmdline",
        ...Object.values(secrets).flatMap((path) => [`root${path}`, `cwd/../../../../..${path}`]),
      ].flatMap((path) => canariesIn(bytesOf(`/proc/${server}/${path}`))),
    ),
  "the memory of the server": ({ server }) => told(memoryOf(server)),
  "the memory of every process": ({ isWalled }) => (isWalled ? told(processes().flatMap(memoryOf)) : undefined),
  "descriptors of every process": ({ isWalled, server }) =>
    told(
      (isWalled ? processes() : [String(server)]).flatMap((pid) =>
        namesIn(`/proc/${pid}/fd`).flatMap((name) => {
          const path = `/proc/${pid}/fd/${name}`;
          const found = canariesIn(startOf(path));
          // A folder of the machine that was left open is a door.
          const folder =
            namesIn(path).length > 0 && pid !== String(process.pid) ? [`an open folder of process ${pid}`] : [];
          return found.concat(folder);
        }),
      ),
    ),
  "descriptors that a command inherits": () => {
    const names = execFileSync("/bin/bash", ["-c", "for f in /proc/self/fd/*; do readlink $f; done; true"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const odd = String(names)
      .split("\n")
      .filter((name) => name !== "" && !/^(pipe:|socket:|\/dev\/null|\/proc\/)/.test(name));
    return told(odd);
  },
  "paths in the list of mounts": ({ secrets, pathSocket }) =>
    told(
      [pathSocket, secrets.other, secrets.ssh].filter((path) =>
        bytesOf("/proc/self/mountinfo").includes(dirname(path)),
      ),
    ),
  "sockets of the machine in /proc/net/unix": ({ pathSocket }) =>
    bytesOf("/proc/net/unix").includes(pathSocket) ? pathSocket : undefined,
  "passwords of the system": () =>
    told(["/etc/shadow", "/etc/gshadow", "/etc/sudoers"].filter((path) => bytesOf(path) !== "")),
  "keys in home folders": () =>
    told(
      ["/root", "/home"]
        .flatMap((folder) => namesIn(folder).map((name) => `${folder}/${name}`))
        .filter((name) => name !== "/home/agent"),
    ),
  "the kernel's memory and log": () =>
    told(
      ["/dev/kmsg", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmsg"].filter(
        (path) => startOf(path) !== "",
      ),
    ),
  "every file that can be seen": ({ isWalled }) => {
    if (!isWalled) return undefined;
    const places = namesIn("/").filter(
      (name) => !["proc", "sys", "dev", "usr", "lib", "lib64", "bin", "sbin"].includes(name),
    );
    const pattern = "canary-[a-z]+-[0-9a-f]{24}";
    try {
      const found = execFileSync("grep", ["-rhoaE", "--devices=skip", pattern, ...places.map((name) => `/${name}`)], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      return told(canariesIn(String(found)));
    } catch (error) {
      return told(canariesIn(String(error.stdout ?? "")));
    }
  },
  "the links of process 1": () => {
    const roots = ["/proc/1/root", "/proc/1/cwd"].flatMap((path) => {
      const inThere = namesIn(`${path}/`);
      const here = namesIn(path === "/proc/1/root" ? "/" : readlinkOr(path));
      return inThere.some((name) => !here.includes(name)) ? [path] : [];
    });
    return told(roots);
  },
};

function readlinkOr(path) {
  try {
    return readlinkSync(path);
  } catch {
    return "/";
  }
}
