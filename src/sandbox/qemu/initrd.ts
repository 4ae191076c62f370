import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A kernel of this machine, and what of its modules a guest needs. */
export interface GuestKernel {
  readonly path: string;
  /** In the order in which they are loaded. */
  readonly modules: readonly string[];
}

/** For a disk that is a folder of ours, and a pipe to us. What is in none of a kernel's modules is part of it. */
const WANTED = ["virtio_pci", "virtio_console", "9p", "9pnet_virtio"] as const;

const BUSYBOX = "/usr/bin/busybox";
const INSTALL = "apt-get install qemu-system-x86 busybox-static linux-image-amd64";

/** Where a machine keeps its kernels; absent: the folders of this one. */
export interface KernelFolders {
  readonly kernels?: string;
  readonly modules?: string;
}

/** What keeps a kernel from being started as a guest, and what brings one that can be. */
export interface NoGuestKernel {
  readonly reason: string;
  readonly remedy: string;
}

/** What keeps a guest from being started here; else its kernel. */
export function findKernel(wanted?: string): GuestKernel | NoGuestKernel {
  for (const path of ["/usr/bin/qemu-system-x86_64", BUSYBOX])
    if (!existsSync(path)) return { reason: `${path} is missing`, remedy: INSTALL };
  return chooseKernel(wanted);
}

/** The kernel that is named; without a name the newest that a guest can use: those for clouds have no files over a pipe (9p). */
export function chooseKernel(wanted: string | undefined, folders: KernelFolders = {}): GuestKernel | NoGuestKernel {
  const { kernels = "/boot", modules = "/lib/modules" } = folders;
  if (wanted !== undefined) return guestKernel(wanted, modules);
  const found = newestFirst(kernels).map((path) => guestKernel(path, modules));
  const first = found.find((kernel) => "path" in kernel) ?? found[0];
  return first ?? { reason: `there is no kernel in ${kernels}`, remedy: INSTALL };
}

function guestKernel(path: string, modulesFolder: string): GuestKernel | NoGuestKernel {
  if (!existsSync(path)) return { reason: `there is no kernel ${path}`, remedy: INSTALL };
  const folder = join(modulesFolder, basename(path).replace(/^vmlinuz-/, ""));
  const list = join(folder, "modules.dep");
  if (!existsSync(list)) return { reason: `${path} has no modules in ${folder}`, remedy: INSTALL };
  const files = readFileSync(list, "utf8");
  const builtIn = join(folder, "modules.builtin");
  const there = namesOf(`${files}\n${existsSync(builtIn) ? readFileSync(builtIn, "utf8") : ""}`);
  const lacking = WANTED.find((name) => !there.has(name));
  if (lacking !== undefined) return { reason: `${path} has no module ${lacking}`, remedy: INSTALL };
  const modules = orderedModules(files, WANTED).map((file) => join(folder, file));
  const packed = modules.find((file) => !file.endsWith(".ko"));
  return packed === undefined
    ? { path, modules }
    : { reason: `${packed} is compressed, which a guest cannot load`, remedy: "name another kernel: container.kernel" };
}

function newestFirst(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("vmlinuz-")) : [];
  const newest = names.toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }));
  return newest.map((name) => join(folder, name));
}

/** Of the modules that begin a line of modules.dep or modules.builtin. */
function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => nameOf(line.split(":")[0] ?? "")));
}

function nameOf(file: string): string {
  return basename(file).replace(/\.ko.*$/, "");
}

/** Each module behind those that it needs, from the text of modules.dep. */
export function orderedModules(text: string, wanted: readonly string[]): readonly string[] {
  const needs = new Map<string, readonly string[]>();
  for (const line of text.split("\n")) {
    const [file = "", rest = ""] = line.split(":");
    needs.set(
      file,
      rest.split(" ").filter((word) => word !== ""),
    );
  }
  const ordered = new Set<string>();
  for (const name of wanted) {
    const file = [...needs.keys()].find((path) => nameOf(path) === name);
    if (file === undefined) continue;
    // The list has what is needed last at its front.
    for (const path of [file, ...(needs.get(file) ?? [])].toReversed()) ordered.add(path);
  }
  return [...ordered];
}

/** The first files of a guest: a shell, modules, and the script that is its first process. */
export function makeInitrd({ modules }: GuestKernel, script: string): Buffer {
  const names = modules.map((path) => basename(path));
  return archive([
    { name: "bin", mode: 0o40755, content: Buffer.alloc(0) },
    { name: "modules", mode: 0o40755, content: Buffer.alloc(0) },
    { name: "bin/busybox", mode: 0o100755, content: readFileSync(BUSYBOX) },
    ...modules.map((path) => ({ name: `modules/${basename(path)}`, mode: 0o100644, content: readFileSync(path) })),
    { name: "modules/order", mode: 0o100644, content: Buffer.from(`${names.join("\n")}\n`) },
    { name: "init", mode: 0o100755, content: Buffer.from(script) },
  ]);
}

interface ArchivedFile {
  readonly name: string;
  /** With the bits that say what it is. */
  readonly mode: number;
  readonly content: Buffer;
}

/** In the form that kernels unpack (cpio, "newc"). */
function archive(files: readonly ArchivedFile[]): Buffer {
  const end = { name: "TRAILER!!!", mode: 0, content: Buffer.alloc(0) };
  return Buffer.concat([...files, end].map((file, index) => entry(file, index + 1)));
}

function entry({ name, mode, content }: ArchivedFile, inode: number): Buffer {
  const numbers = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, 0];
  const head = `070701${numbers.map((number) => number.toString(16).padStart(8, "0")).join("")}${name}\0`;
  return Buffer.concat([padded(Buffer.from(head, "latin1")), padded(content)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
