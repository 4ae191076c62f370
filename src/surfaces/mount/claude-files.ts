import { may } from "../../gate/index.ts";
import {
  escapeHidden,
  Failure,
  FileFailure,
  LIMITS,
  type ErrorCode,
  type FileEntry,
  type FileStat,
  type JobKind,
  type MountFrame,
  type SessionView,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import type {
  FileService,
  FollowOptions,
  ReadFileOptions,
  StatOptions,
  WatchFileOptions,
  WriteOptions,
} from "./file-service.ts";
import { computeFiles } from "./jobs/compute-files.ts";
import { containerFiles } from "./jobs/container-files.ts";
import { identityFiles } from "./identity-files.ts";
import { rootFiles } from "./root-files.ts";
import { sessionFiles } from "./session-files.ts";
import { FileTree, type Dynamic, type FileNode, type TreeEntry, type FilePlace } from "./tree.ts";

const encoder = new TextEncoder();
/** Failures of the server, not of the file: a length of 0 would be wrong. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["store_failed", "shutting_down", "internal", "unauthenticated"]);

/** Every file of a mount, as document 003 or its siblings lay them out. */
export function nodesOf(context: MountContext): readonly FileNode[] {
  switch (context.kind) {
    case "claude":
      return [...rootFiles(context), ...sessionFiles(context)];
    case "containers":
      return containerFiles(context);
    case "compute":
      return computeFiles(context);
    case "identity":
      return identityFiles(context);
  }
}

/** Document 003's tree on top of the gateway. Nothing is stored here: each read calls the services with the caller's own rights. */
export class ClaudeFiles implements FileService {
  readonly #context: MountContext;
  readonly #tree: FileTree;

  constructor(context: MountContext) {
    this.#context = context;
    this.#tree = new FileTree(nodesOf(context));
  }

  async stat(caller: Caller, path: string, { sized }: StatOptions): Promise<FileStat> {
    const found = this.#tree.find(path);
    const modified = await this.#exists(caller, path, found);
    const of = modified === undefined ? {} : { modified };
    if (found.is === "folder")
      return { is_dir: true, size: 0, ...of, readable: true, writable: false, watchable: false };
    const { read, write, grows, content } = found.node;
    const isCalled = write?.call === true && isGiven(caller, write);
    const place = { caller, path, name: found.name, measure: true } as const;
    return {
      is_dir: false,
      size: 0,
      ...of,
      ...(sized && isGiven(caller, read) ? await this.#measure(found.node, place, modified) : {}),
      readable: isGiven(caller, read) || isCalled,
      writable: isGiven(caller, write),
      watchable: grows !== undefined && isGiven(caller, read),
      callable: write?.call === true,
      content,
    };
  }

  /** A file that cannot be read now has length 0: opening it tells why. */
  async #measure(node: FileNode, place: FilePlace, known: string | undefined): Promise<Partial<FileStat>> {
    const { times } = this.#context;
    try {
      if (node.grows !== undefined) return await node.grows.measure(place);
      const bytes = bytesOf(node, await node.read?.run(place));
      return { size: bytes.length, modified: times.modified(place.caller, place.path, { bytes, known }) };
    } catch (error) {
      if (error instanceof Failure && !PASSING.has(error.code)) return { size: 0 };
      throw error;
    }
  }

  async list(caller: Caller, path: string): Promise<readonly FileEntry[]> {
    const found = this.#tree.find(path);
    if (found.is === "file") throw new FileFailure("ENOTDIR", "invalid_request", `${path} is a file: read it`);
    await this.#exists(caller, path, found);
    const fixed = found.children.map(({ name, is_dir }) => ({ name, is_dir, size: 0 }));
    return found.dynamic === undefined ? fixed : [...fixed, ...(await this.#names(caller, found.dynamic))];
  }

  async read(caller: Caller, path: string, { peek = false, offset = 0 }: ReadFileOptions = {}): Promise<Uint8Array> {
    const { node, place } = this.#file(caller, path);
    if (node.read === undefined)
      throw node.write?.call === true
        ? new FileFailure(
            "EINVAL",
            "invalid_request",
            `write to ${path} and read the answer on the same handle; over HTTP: POST with accept: application/json`,
          )
        : new Failure("forbidden", `${path} can only be written`);
    authorize(caller, node.read.needs, path);
    await this.#isJob(place);
    const bytes = bytesOf(node, await node.read.run({ ...place, offset, ...(peek ? { measure: true } : {}) }));
    return node.grows === undefined ? bytes.subarray(offset) : bytes;
  }

  async write(caller: Caller, path: string, bytes: Uint8Array, { shown }: WriteOptions = {}): Promise<void> {
    await this.#write(caller, path, { bytes, shown });
  }

  async call(caller: Caller, path: string, bytes: Uint8Array, { shown }: WriteOptions = {}): Promise<Uint8Array> {
    const { node, value } = await this.#write(caller, path, { bytes, shown });
    // A file that returns nothing on write is read afterwards, if it can be.
    if (node.write?.call === true) return bytesOf(node, value);
    return node.read === undefined ? encoder.encode("{}\n") : this.read(caller, path);
  }

  async follow(caller: Caller, path: string, options: FollowOptions): Promise<AsyncIterable<Uint8Array>> {
    const { grows, place } = await this.#growing(caller, path);
    return grows.follow(place, options);
  }

  async watch(caller: Caller, path: string, options: WatchFileOptions): Promise<AsyncIterable<readonly MountFrame[]>> {
    const { grows, place } = await this.#growing(caller, path);
    return grows.watch(place, options);
  }

  async #growing(caller: Caller, path: string) {
    const { node, place } = this.#file(caller, path);
    const { grows, read } = node;
    if (grows === undefined || read === undefined)
      throw new FileFailure(
        "EINVAL",
        "invalid_request",
        `${path} does not grow; sessions/<id>/output and jobs/<id>/stream do`,
      );
    authorize(caller, read.needs, path);
    await this.#isJob(place);
    return { grows, place };
  }

  async #write(
    caller: Caller,
    path: string,
    { bytes, shown }: { readonly bytes: Uint8Array; readonly shown?: readonly string[] | undefined },
  ): Promise<{ readonly node: FileNode; readonly value: unknown }> {
    const { node, place } = this.#file(caller, path);
    if (node.write === undefined) throw new Failure("forbidden", `${path} can only be read`);
    authorize(caller, node.write.needs, path);
    await this.#isJob(place);
    const session = isSessionPath(path) ? place.name : undefined;
    const { errors } = this.#context;
    try {
      const value = await node.write.run(shown === undefined ? place : { ...place, shown }, textOf(bytes));
      if (session !== undefined) errors.clear(caller, session);
      return { node, value };
    } catch (error) {
      // If a session does not exist for the caller, nothing of it is remembered.
      if (session !== undefined && error instanceof Failure && error.code !== "not_found")
        errors.put(caller, session, error.message);
      throw error;
    }
  }

  #file(caller: Caller, path: string): { readonly node: FileNode; readonly place: FilePlace } {
    const found = this.#tree.find(path);
    if (found.is === "folder") throw new FileFailure("EISDIR", "invalid_request", `/${path} is a folder: list it`);
    return { node: found.node, place: { caller, path, name: found.name } };
  }

  /** A tree of jobs has no files of other sessions. */
  async #isJob({ caller, path, name }: FilePlace): Promise<void> {
    const { gateway, kind } = this.#context;
    if (isJobKind(kind) && isSessionPath(path)) await gateway.jobs.session(caller, kind, name);
  }

  /** Refuses names of files that do not exist. Returns when it last changed, if known. */
  async #exists(caller: Caller, path: string, { name }: TreeEntry): Promise<string | undefined> {
    if (name === "") return undefined;
    if (isSessionPath(path)) return (await this.#session(caller, name)).updated_at;
    const known = await this.#names(caller, path.startsWith("providers/") ? "providers" : "workers");
    if (!known.some((entry) => entry.name === name)) throw new Failure("not_found", `there is no ${path}`);
    return undefined;
  }

  async #names(caller: Caller, folder: Dynamic): Promise<readonly FileEntry[]> {
    const { gateway, kind } = this.#context;
    switch (folder) {
      case "sessions":
      case "jobs":
        return this.#sessions(caller);
      case "providers":
        if (kind === "containers")
          return (await gateway.describeSandboxes()).map(({ id }) => ({ name: id, is_dir: true, size: 0 }));
        return (await gateway.providers.offered(caller)).map(({ id }) => ({ name: id, is_dir: true, size: 0 }));
      case "workers":
        return gateway.workers
          .list(caller)
          .map(({ id, since }) => ({ name: id, is_dir: true, size: 0, modified: since }));
    }
  }

  #session(caller: Caller, id: string): Promise<SessionView> {
    const { gateway, kind } = this.#context;
    return isJobKind(kind) ? gateway.jobs.session(caller, kind, id) : gateway.sessions.get(caller, id);
  }

  async #sessions(caller: Caller): Promise<readonly FileEntry[]> {
    const { gateway, kind } = this.#context;
    const entries: FileEntry[] = [];
    let cursor: string | undefined;
    do {
      const asked = { cursor, limit: LIMITS.pageSizeMax };
      const page = isJobKind(kind)
        ? await gateway.jobs.sessions(caller, kind, asked)
        : await gateway.sessions.list(caller, asked);
      for (const { id, updated_at } of page.sessions)
        entries.push({ name: id, is_dir: true, size: 0, modified: updated_at });
      cursor = page.next;
    } while (cursor !== undefined && entries.length < LIMITS.mountListed);
    return entries;
  }
}

function isJobKind(kind: MountContext["kind"]): kind is JobKind {
  return kind === "containers" || kind === "compute";
}

/** Of a session, or of a job, which is one. */
function isSessionPath(path: string): boolean {
  return path.startsWith("sessions/") || path.startsWith("jobs/");
}

function isGiven(caller: Caller, access: FileNode["read"] | FileNode["write"]): boolean {
  return access !== undefined && may(caller.role, access.needs) !== "no";
}

/** Before the service, so that a caller without the right learns nothing else. */
function authorize(caller: Caller, needs: NonNullable<FileNode["read"]>["needs"], path: string): void {
  if (may(caller.role, needs) === "no")
    throw new Failure("forbidden", `the role ${caller.role} may not do this with ${path} (${needs})`);
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > LIMITS.mountWriteBytes)
    throw new Failure("payload_too_large", `a write may have ${LIMITS.mountWriteBytes} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Failure("invalid_request", "invalid request: this is not UTF-8 text");
  }
}

function bytesOf(node: FileNode, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return encoder.encode(
    node.content === "text" && typeof value === "string"
      ? value
      : `${escapeHidden(JSON.stringify(value, undefined, 2))}\n`,
  );
}
