import { constants, read, write, writevSync } from "node:fs";
import { constants as os } from "node:os";
import {
  answerHead,
  attributesAnswer,
  entryAnswer,
  folderAnswer,
  forgetNameNotice,
  initAnswer,
  openAnswer,
  statfsAnswer,
  writeAnswer,
  type Listed,
  type Owner,
} from "./answers.ts";
import { FuseError, numberOf } from "./errno.ts";
import type { FuseCaller, FuseFiles, OpenFile } from "./files.ts";
import { HandleTable } from "./handles.ts";
import { NodeTable } from "./nodes.ts";
import { isSameProcess } from "./threads.ts";
import {
  decodeRequest,
  FUSE_MAJOR,
  FUSE_MINOR,
  FUSE_OLDEST_MINOR,
  INIT_FLAG,
  INIT_FLAG_2,
  OPEN_FLAG,
  requestBytes,
  type FuseRequest,
  type RequestBody,
  type RequestHead,
} from "./wire.ts";

export interface FuseLimits {
  /** Reads of the device that wait at once; each occupies a thread of the pool. */
  readonly readers: number;
  /** Requests that are being answered. */
  readonly requests: number;
  readonly handles: number;
  readonly nodes: number;
  readonly writeBytes: number;
}

export interface FuseLoopOptions {
  /** An open /dev/fuse that is mounted already, or is about to be. The caller closes it. */
  readonly fd: number;
  readonly files: FuseFiles;
  readonly owner: Owner;
  readonly limits: FuseLimits;
  /** Called for bugs and a broken device, never for what a caller did. */
  readonly onTrouble: (error: Error) => void;
}

type OpenHandle =
  | { readonly is: "file"; readonly file: OpenFile; readonly node: number; readonly pid: number }
  | { readonly is: "folder"; readonly entries: readonly Listed[] };
/** `undefined`: there is nothing to answer. */
type FuseAnswer = Buffer | Uint8Array | undefined;

const NOTHING = Buffer.alloc(0);
const ACCESS_MODE = 0b11;
const WRITE_ACCESS = 0o2;
/** The kernel's answer to an interrupt for an unknown request: try again. */
const AGAIN = os.errno.EAGAIN;
/** Names that the kernel is asked to drop at once. */
const DROPPED_NAMES = 256;
/** The device is gone, a request was withdrawn before it was read, or the read was interrupted. */
const READ_AGAIN: ReadonlySet<string | undefined> = new Set(["EINTR", "EAGAIN", "ENOENT"]);
const DEVICE_GONE: ReadonlySet<string | undefined> = new Set(["ENODEV", "EBADF", "ECONNABORTED"]);

/** Answers the kernel's requests for one mount until it is unmounted. */
export class FuseLoop {
  readonly #options: FuseLoopOptions;
  readonly #nodes: NodeTable;
  readonly #handles: HandleTable<OpenHandle>;
  readonly #asked = new Map<bigint, AbortController>();
  #leaving = false;
  #stopping = false;
  #dropping = 0;

  constructor(options: FuseLoopOptions) {
    this.#options = options;
    this.#nodes = new NodeTable(options.limits.nodes);
    this.#handles = new HandleTable(options.limits.handles);
  }

  /** What is held now; for tests and for finding leaks. */
  get held(): { readonly nodes: number; readonly handles: number; readonly requests: number } {
    return { nodes: this.#nodes.size, handles: this.#handles.size, requests: this.#asked.size };
  }

  /** Ends when the device is gone, or after `stop` once each reader has had one more request. */
  async run(): Promise<void> {
    const readers = Array.from({ length: this.#options.limits.readers }, () => this.#read());
    await Promise.all(readers);
    for (const controller of this.#asked.values()) controller.abort();
    for (const opened of this.#handles.clear()) if (opened.is === "file") opened.file.release();
  }

  /** Answers everybody who waits, and refuses new requests at once. */
  leave(): void {
    this.#leaving = true;
    for (const unique of this.#asked.keys()) this.#interrupt(unique);
  }

  /** Each reader reads at most one more request. */
  stop(): void {
    this.#stopping = true;
  }

  async #read(): Promise<void> {
    const buffer = Buffer.allocUnsafe(requestBytes(this.#options.limits.writeBytes));
    while (!this.#stopping) {
      const taken = await readDevice(this.#options.fd, buffer);
      if (typeof taken === "number") this.#take(buffer.subarray(0, taken));
      else if (DEVICE_GONE.has(taken.code)) return;
      else if (!READ_AGAIN.has(taken.code)) {
        this.#options.onTrouble(taken);
        return;
      }
    }
  }

  #take(bytes: Buffer): void {
    let request: FuseRequest;
    try {
      request = decodeRequest(bytes);
    } catch (error) {
      this.#options.onTrouble(error as Error);
      return;
    }
    const { head, body } = request;
    if (body.is === "forget") {
      for (const { node, lookups } of body.forgets) this.#nodes.forget(node, lookups);
    } else if (body.is === "interrupt") {
      if (!this.#interrupt(body.target)) this.#send(head.unique, AGAIN);
    } else void this.#answer(head, body);
  }

  /** The waiting call returns EINTR at once; its work is aborted. */
  #interrupt(unique: bigint): boolean {
    const controller = this.#asked.get(unique);
    if (controller === undefined) return false;
    this.#asked.delete(unique);
    controller.abort();
    this.#send(unique, os.errno.EINTR);
    return true;
  }

  async #answer(head: RequestHead, body: RequestBody): Promise<void> {
    const { unique, uid, pid } = head;
    if (this.#asked.size >= this.#options.limits.requests) {
      this.#send(unique, os.errno.EBUSY);
      return;
    }
    const controller = new AbortController();
    this.#asked.set(unique, controller);
    try {
      const answer = await this.#do(head, body, { uid, pid, signal: controller.signal });
      // Interrupted meanwhile: it is already answered.
      if (this.#asked.delete(unique)) this.#send(unique, 0, answer);
    } catch (error) {
      if (!this.#asked.delete(unique)) return;
      if (!(error instanceof FuseError)) this.#options.onTrouble(error as Error);
      this.#send(unique, numberOf(error));
    }
    if (this.#nodes.crowded) this.#dropNames();
  }

  async #do(head: RequestHead, body: RequestBody, asking: FuseCaller): Promise<FuseAnswer> {
    if (this.#leaving && body.is !== "release") return this.#parting(body);
    const { files, owner, limits } = this.#options;
    switch (body.is) {
      case "init":
        return this.#init(body);
      case "lookup": {
        const attributes = await files.lookUp(this.#nodes.child(head.node, body.name), asking);
        return asking.signal.aborted ? NOTHING : entryAnswer(this.#nodes.look(head.node, body.name), attributes, owner);
      }
      case "attributes":
        return this.#attributes(head.node, body.handle, asking);
      case "change":
        return this.#change(head.node, body.size, asking);
      case "open":
        return this.#open(head.node, body, asking);
      case "read":
        return this.#readHandle(body, asking);
      case "write": {
        await this.#file(body.handle).write(body, asking);
        return writeAnswer(body.data.length);
      }
      case "flush":
        await this.#file(body.handle).flush(asking);
        return NOTHING;
      case "release": {
        const opened = this.#handles.remove(body.handle);
        if (opened?.is === "file") {
          // Only if all descriptors were closed normally.
          if (!this.#leaving) opened.file.closed?.();
          opened.file.release();
        }
        return NOTHING;
      }
      case "statfs":
        return statfsAnswer(limits.nodes);
      case "access":
        return this.#access(head.node, body.mask, asking);
      case "sync":
      case "destroy":
      case "forget":
      case "interrupt":
        return NOTHING;
      case "alter":
        throw new FuseError("EACCES");
      case "unknown":
        throw new FuseError("ENOSYS");
    }
  }

  /** While the folder is being unmounted: it exists, and is empty. */
  #parting(body: RequestBody): Buffer {
    if (body.is !== "open" || !body.folder) throw new FuseError("ENODEV");
    return openAnswer(this.#handles.add({ is: "folder", entries: [] }), 0);
  }

  #init({ major, minor, maxReadahead, flags, flags2 }: Extract<RequestBody, { is: "init" }>): Buffer {
    if (major < FUSE_MAJOR || (major === FUSE_MAJOR && minor < FUSE_OLDEST_MINOR)) throw new FuseError("EPROTO");
    const wanted =
      INIT_FLAG.atomicTruncate |
      INIT_FLAG.bigWrites |
      INIT_FLAG.parallelFolders |
      INIT_FLAG.maxPages |
      INIT_FLAG.extended;
    const { requests, writeBytes } = this.#options.limits;
    return initAnswer({
      // A newer kernel asks again in our version.
      minor: major > FUSE_MAJOR ? FUSE_MINOR : Math.min(minor, FUSE_MINOR),
      maxReadahead,
      flags: flags & wanted,
      flags2: flags2 & INIT_FLAG_2.sharedMaps,
      maxBackground: Math.min(requests, 0xff_ff),
      maxWrite: writeBytes,
    });
  }

  async #attributes(node: number, handle: number | undefined, asking: FuseCaller): Promise<Buffer> {
    const { files, owner } = this.#options;
    const attributes = await files.attributes(this.#nodes.path(node), asking);
    const opened = handle === undefined ? this.#openedBy(node, asking.pid) : this.#handles.get(handle);
    const file = opened?.is === "file" ? opened.file : undefined;
    const size = file?.length ?? (handle === undefined ? undefined : await file?.size?.(asking));
    return attributesAnswer(node, size === undefined ? attributes : { ...attributes, size }, owner);
  }

  /**
   * The kernel does not say which descriptor `fstat` was called on. A program that has the file open wants the size of what it reads: the
   * content that was fixed when it opened it, whatever the file contains now.
   */
  #openedBy(node: number, pid: number): OpenHandle | undefined {
    return this.#handles.newest(
      (opened) =>
        opened.is === "file" &&
        opened.node === node &&
        opened.file.length !== undefined &&
        isSameProcess(opened.pid, pid),
    );
  }

  /** A write replaces the whole content, so truncating before changes nothing. Modes and owners cannot be set. */
  async #change(node: number, size: number | undefined, asking: FuseCaller): Promise<Buffer> {
    if (size === undefined) throw new FuseError("EPERM");
    await this.#access(node, WRITE_ACCESS, asking);
    return this.#attributes(node, undefined, asking);
  }

  /** `access` depends on the token's rights, which the mode bits show; the kernel asks only if it does not decide itself. */
  async #access(node: number, mask: number, asking: FuseCaller): Promise<Buffer> {
    const { permissions } = await this.#options.files.lookUp(this.#nodes.path(node), asking);
    if ((mask & 0o7 & ~(permissions >> 6)) !== 0) throw new FuseError("EACCES");
    return NOTHING;
  }

  async #open(node: number, body: Extract<RequestBody, { is: "open" }>, asking: FuseCaller): Promise<Buffer> {
    const { files } = this.#options;
    const path = this.#nodes.path(node);
    if (body.folder) {
      const entries = await files.list(path, asking);
      if (asking.signal.aborted) return NOTHING;
      return openAnswer(this.#handles.add({ is: "folder", entries: withDots(entries) }), 0);
    }
    const mode = body.flags & ACCESS_MODE;
    const access = { read: mode !== constants.O_WRONLY, write: mode !== 0 };
    this.#handles.check();
    const file = await files.open(path, access, asking);
    // Nobody will ever release what an interrupted call opened.
    if (asking.signal.aborted) {
      file.release();
      return NOTHING;
    }
    const flags = OPEN_FLAG.directIo | (file.stream ? OPEN_FLAG.stream | OPEN_FLAG.nonSeekable : 0);
    return openAnswer(this.#handles.add({ is: "file", file, node, pid: asking.pid }), flags);
  }

  async #readHandle(body: Extract<RequestBody, { is: "read" }>, asking: FuseCaller): Promise<Uint8Array> {
    const { handle, offset, size } = body;
    if (body.folder) {
      const opened = this.#handles.get(handle);
      if (opened.is !== "folder") throw new FuseError("ENOTDIR");
      return folderAnswer(opened.entries, offset, size);
    }
    const patient = (body.flags & constants.O_NONBLOCK) === 0;
    return this.#file(handle).read({ offset, size, patient }, asking);
  }

  #file(handle: number): OpenFile {
    const opened = this.#handles.get(handle);
    if (opened.is === "folder") throw new FuseError("EISDIR");
    return opened.file;
  }

  /** The kernel may wait for its own locks while it drops a name, so this must not delay the answers. */
  #dropNames(): void {
    if (this.#dropping > 0) return;
    const names = this.#nodes.oldest(DROPPED_NAMES);
    this.#dropping = names.length;
    const next = (): void => {
      const name = names[names.length - this.#dropping];
      if (name === undefined) return;
      write(this.#options.fd, forgetNameNotice(name), () => {
        // ENOENT: it had no such name. Other errors come up again with the next request.
        this.#dropping -= 1;
        next();
      });
    };
    next();
  }

  #send(unique: bigint, errno: number, payload: FuseAnswer = NOTHING): void {
    try {
      writevSync(this.#options.fd, [answerHead(unique, errno, payload.length), payload]);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // ENOENT: nobody waits any more.
      if (code !== "ENOENT" && !DEVICE_GONE.has(code)) this.#options.onTrouble(error as Error);
    }
  }
}

function withDots(entries: readonly Listed[]): readonly Listed[] {
  return [{ name: ".", folder: true }, { name: "..", folder: true }, ...entries];
}

/** The length of a request, or why there is none. */
function readDevice(fd: number, buffer: Buffer): Promise<number | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    read(fd, buffer, 0, buffer.length, null, (error, size) => resolve(error ?? size));
  });
}
