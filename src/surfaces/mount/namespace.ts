import { FileFailure, Failure, LIMITS, type AccessLevel, type FileEntry, type FileStat } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type {
  FileService,
  FollowOptions,
  ReadFileOptions,
  StatOptions,
  WatchFileOptions,
  WriteOptions,
} from "./file-service.ts";

interface MountedTree {
  /** Such as `/claude`: absolute, without a slash at its end. */
  readonly path: string;
  readonly files: FileService;
  readonly access: AccessLevel;
}

/** The only files of a mount where keys are used but never shown. */
const SIGNING = new Set(["pubkey", "sign", "verify", "encrypt", "decrypt"]);

/** File services by path. The longest mount that contains a path owns it, by whole segments: `/claude-x` is not in `/claude`. */
export class Namespace implements FileService {
  /** The longest path first. */
  #mounts: readonly MountedTree[] = [];

  mount(mounted: MountedTree): void {
    partsOf(mounted.path);
    if (this.#mounts.some(({ path }) => path === mounted.path))
      throw new Failure("conflict", `${mounted.path} is mounted already`);
    this.#mounts = [...this.#mounts, mounted].toSorted((left, right) => right.path.length - left.path.length);
  }

  get paths(): readonly string[] {
    return this.#mounts.map(({ path }) => path);
  }

  async stat(caller: Caller, path: string, options: StatOptions): Promise<FileStat> {
    const { files, below, access } = this.#find(path, "read");
    const stat = await files.stat(caller, below, options);
    return access === "read_only" ? { ...stat, writable: false } : stat;
  }

  async list(caller: Caller, path: string): Promise<readonly FileEntry[]> {
    const { files, below } = this.#find(path, "read");
    return files.list(caller, below);
  }

  async read(caller: Caller, path: string, options?: ReadFileOptions): Promise<Uint8Array> {
    const { files, below } = this.#find(path, "read");
    return files.read(caller, below, options);
  }

  async write(caller: Caller, path: string, bytes: Uint8Array, options?: WriteOptions): Promise<void> {
    const { files, below } = this.#find(path, "write");
    await files.write(caller, below, bytes, options);
  }

  async call(caller: Caller, path: string, bytes: Uint8Array, options?: WriteOptions): Promise<Uint8Array> {
    const { files, below } = this.#find(path, "write");
    return files.call(caller, below, bytes, options);
  }

  async follow(caller: Caller, path: string, options: FollowOptions): ReturnType<FileService["follow"]> {
    const { files, below } = this.#find(path, "read");
    return files.follow(caller, below, options);
  }

  async watch(caller: Caller, path: string, options: WatchFileOptions): ReturnType<FileService["watch"]> {
    const { files, below } = this.#find(path, "read");
    return files.watch(caller, below, options);
  }

  #find(path: string, verb: "read" | "write"): Pick<MountedTree, "files" | "access"> & { readonly below: string } {
    const parts = partsOf(path);
    const whole = `/${parts.join("/")}`;
    const found = this.#mounts.find(({ path: mount }) => whole === mount || whole.startsWith(`${mount}/`));
    if (found === undefined) throw new Failure("not_found", `there is no ${path}`);
    const { files, access } = found;
    const below = whole.slice(found.path.length + 1);
    // A list of names shows no key.
    if (access !== "sign_only" || below !== "" || verb !== "read")
      refuse(access, { verb, name: parts.at(-1) ?? "", path });
    return { files, access, below };
  }
}

/** Throws if the mount's access level does not allow the verb. */
function refuse(
  access: AccessLevel,
  { verb, name, path }: { readonly verb: "read" | "write"; readonly name: string; readonly path: string },
): void {
  switch (access) {
    case "read_write":
    case "budgeted":
      return;
    case "read_only":
      if (verb === "write") throw new Failure("forbidden", `${path} can only be read: its mount is read_only`);
      return;
    case "sign_only":
      if (!SIGNING.has(name))
        throw new Failure("forbidden", `of a sign_only mount there are only ${[...SIGNING].join(", ")}`);
      return;
    case "disabled":
      throw new Failure("forbidden", `${path} is disabled`);
  }
}

/** The segments of an absolute path. No segment climbs, hides a separator or is empty. */
function partsOf(path: string): readonly string[] {
  const invalid = (why: string): FileFailure => new FileFailure("EINVAL", "invalid_request", `the path ${why}`);
  if (path.length > LIMITS.mountPathChars) throw invalid(`has more than ${LIMITS.mountPathChars} characters`);
  if (!path.startsWith("/")) throw invalid("must begin with /");
  const parts = path.replace(/\/+$/, "").split("/").slice(1);
  if (parts.length > LIMITS.mountPathParts) throw invalid(`has more than ${LIMITS.mountPathParts} parts`);
  for (const part of parts) {
    if (part === "" || part === "." || part === "..") throw invalid("has an empty part, . or ..");
    // oxlint-disable-next-line no-control-regex -- exactly these are refused
    if (/[\u0000-\u001f\u007f/\\]/.test(part)) throw invalid("holds a control character or a backslash");
  }
  return parts;
}
