import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import { removeFlat } from "../folders.ts";
import type { SandboxUser } from "./user.ts";

/** Numbers of system calls, the same on all 64-bit systems. */
const OPEN_TREE = 428;
const MOVE_MOUNT = 429;
const MOUNT_SETATTR = 442;

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x10_00;
const AT_RECURSIVE = 0x80_00;
const OPEN_TREE_CLONE_CLOEXEC = 1 | 0x8_00_00;
const MOVE_MOUNT_FROM_EMPTY_PATH = 4;
const MNT_DETACH = 2;
const MS_NOSUID_NODEV_NOEXEC = 2 | 4 | 8;
const MS_PRIVATE = 1 << 18;
/** Empty folders and files are all that it holds. */
const MEMORY_FOLDER_BYTES = 65_536;
/** `struct mount_attr`: set, clear, propagation and the user namespace's descriptor, 8 bytes each. */
const ATTRIBUTE_BYTES = 32;
const NAMESPACE_AT = 24;
const MOUNT_ATTR_IDMAP = 0x10_00_00n;

interface SystemCalls {
  openTree(path: string): number;
  /** Files of the namespace's one user belong to the sandbox's user in this mount. */
  mapOwner(mount: number, namespace: number): boolean;
  move(mount: number, to: string): boolean;
  /** An empty file system of this user alone, in memory. What is mounted in it is mounted nowhere else. */
  memoryFolder(path: string, owner: SandboxUser): boolean;
  /** With all that is mounted in it. */
  detach(path: string): void;
}

let calls: Promise<SystemCalls> | undefined;
/** By owner: a user namespace that turns this owner into the sandbox's user. Kept for as long as the server runs. */
const namespaces = new Map<string, Promise<number>>();

/**
 * Mounts of files and folders, in a folder that the sandbox's user can enter, and owned by that user there. A server that runs as root
 * gives up its rights before it starts a sandbox, and its files are not for the user it becomes: so they are handed over one by one. The
 * mounts are detached as soon as the sandbox has its own.
 */
export class HandedOver {
  readonly #folder: string;
  readonly #user: SandboxUser;
  readonly #calls: SystemCalls;
  #count = 0;
  #isReleased = false;

  private constructor(folder: string, user: SandboxUser, system: SystemCalls) {
    this.#folder = folder;
    this.#user = user;
    this.#calls = system;
  }

  /** `folder` is made here, and must not be seen inside: what is hidden in the sandbox is not hidden in these mounts. */
  static async open(folder: string, user: SandboxUser): Promise<HandedOver> {
    calls ??= loadCalls();
    const system = await calls;
    mkdirSync(folder, { mode: 0o700 });
    const handed = new HandedOver(folder, user, system);
    // One mount around all others: the kernel waits for all its processors once at the end, and not for each of them.
    if (system.memoryFolder(folder, user)) return handed;
    handed.release();
    throw refused(folder, "nothing can be mounted there");
  }

  /** Where the sandbox's user finds it. */
  async add(path: string): Promise<string> {
    const found = statSync(path);
    const place = join(this.#folder, `m${this.#count}`);
    this.#count += 1;
    if (found.isDirectory()) mkdirSync(place, { mode: 0o700 });
    else writeFileSync(place, "", { mode: 0o600 });
    const mount = this.#calls.openTree(path);
    if (mount < 0) throw refused(path, "it cannot be mounted");
    try {
      if (found.uid !== this.#user.uid) {
        const namespace = await namespaceFor(found, this.#user);
        if (!this.#calls.mapOwner(mount, namespace))
          throw refused(path, "its file system cannot show files under another owner");
      }
      if (!this.#calls.move(mount, place)) throw refused(path, "it cannot be mounted");
    } finally {
      closeSync(mount);
    }
    return place;
  }

  /** The sandbox has its own mounts by now, or never will. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#calls.detach(this.#folder);
    removeFlat(this.#folder);
  }
}

function refused(path: string, why: string): Failure {
  return new Failure(
    "unsupported",
    `${path} cannot be handed to a sandbox by a server that runs as root: ${why}. Run the server as an ordinary user, or use workspace_mode snapshot.`,
  );
}

async function loadCalls(): Promise<SystemCalls> {
  const { default: koffi } = await import("koffi").catch(() => {
    throw new Failure(
      "unsupported",
      "A server that runs as root needs the package koffi for sandboxes: npm install koffi, or run it as an ordinary user.",
    );
  });
  const system = koffi.load(null);
  const [openTree, setAttributes, moveMount, mount, umount] = [
    system.func("long syscall(long, long, str, long)"),
    system.func("long syscall(long, long, str, long, void *, long)"),
    system.func("long syscall(long, long, str, long, str, long)"),
    system.func("int mount(str, str, str, unsigned long, str)"),
    system.func("int umount2(str, int)"),
  ] as ((...words: unknown[]) => number)[] as [SystemCall, SystemCall, SystemCall, SystemCall, SystemCall];
  return {
    openTree: (path) => openTree(OPEN_TREE, AT_FDCWD, path, OPEN_TREE_CLONE_CLOEXEC | AT_RECURSIVE),
    mapOwner: (mount, namespace) => {
      const attributes = Buffer.alloc(ATTRIBUTE_BYTES);
      attributes.writeBigUInt64LE(MOUNT_ATTR_IDMAP, 0);
      attributes.writeBigUInt64LE(BigInt(namespace), NAMESPACE_AT);
      return setAttributes(MOUNT_SETATTR, mount, "", AT_EMPTY_PATH | AT_RECURSIVE, attributes, ATTRIBUTE_BYTES) === 0;
    },
    move: (mount, to) => moveMount(MOVE_MOUNT, mount, "", AT_FDCWD, to, MOVE_MOUNT_FROM_EMPTY_PATH) === 0,
    memoryFolder: (path, { uid, gid }) => {
      const settings = `mode=0700,uid=${uid},gid=${gid},size=${MEMORY_FOLDER_BYTES}`;
      if (mount("sallyport", path, "tmpfs", MS_NOSUID_NODEV_NOEXEC, settings) !== 0) return false;
      return mount(null, path, null, MS_PRIVATE, null) === 0;
    },
    detach: (path) => void umount(path, MNT_DETACH),
  };
}

type SystemCall = (...words: unknown[]) => number;

function namespaceFor(owner: { readonly uid: number; readonly gid: number }, user: SandboxUser): Promise<number> {
  const key = `${owner.uid}:${owner.gid}:${user.keeper ?? ""}`;
  const known = namespaces.get(key);
  if (known !== undefined) return known;
  const made = makeNamespace(owner, user);
  namespaces.set(key, made);
  made.catch(() => namespaces.delete(key));
  return made;
}

/** A process is in it until its descriptor is open; the descriptor keeps it. */
function makeNamespace(owner: { readonly uid: number; readonly gid: number }, user: SandboxUser): Promise<number> {
  return new Promise((resolve, reject) => {
    const holder = spawn("/usr/bin/unshare", ["--user", "--", "/bin/sh", "-c", "echo; read -r _"], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "ignore"],
    });
    const over = (): void => reject(new Failure("unsupported", "User namespaces cannot be made on this machine."));
    holder.once("error", over);
    holder.once("exit", over);
    holder.stdin.on("error", () => undefined);
    holder.stdout.once("data", () => {
      try {
        const { keeper } = user;
        const kept = keeper === undefined ? "" : `${keeper} ${keeper} 1\n`;
        writeFileSync(`/proc/${holder.pid}/uid_map`, `${owner.uid} ${user.uid} 1\n${kept}`);
        writeFileSync(`/proc/${holder.pid}/gid_map`, `${owner.gid} ${user.gid} 1\n${kept}`);
        resolve(openSync(`/proc/${holder.pid}/ns/user`, "r"));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      } finally {
        holder.stdin.end();
      }
    });
  });
}
