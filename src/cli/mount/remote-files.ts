import type { MountClient } from "../../client/index.ts";
import {
  FuseError,
  processOf,
  type FuseCaller,
  type Attributes,
  type FuseFiles,
  type Listed,
  type OpenFile,
  type OpenMode,
} from "../../fuse/index.ts";
import { LIMITS, type FileStat } from "../../protocol/index.ts";
import { LastAnswers } from "./last-answers.ts";
import { MessageFile } from "./message-file.ts";
import { OutputFile } from "./output-file.ts";
import { OutputLength } from "./output-length.ts";
import { isAnswerFile, UserQuestions } from "./shown-questions.ts";
import { SnapshotFile } from "./snapshot-file.ts";
import { patiently } from "./troubles.ts";

/** The part of the server that a mount needs. */
export type MountServer = Pick<MountClient, "stat" | "list" | "read" | "write" | "call" | "follow">;

export interface RemoteFilesOptions {
  readonly server: MountServer;
  /** The folder of the server that is mounted, such as `/claude`. */
  readonly root: string;
  /** Every user of this machine may use it, so the mode bits apply to all. */
  readonly allowOther: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface KnownStat {
  readonly stat: FileStat;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Files whose messages several programs may write, one after the other: cut in two they would say something else. */
const MANY_WRITERS = /^\/sessions\/[^/]+\/(prompt|tools\/approve)$/;
/** The last refusal that belongs to no session. */
const ERROR_PATH = "/error";

/** The server's tree as local files. Rights are the token's; contents are read when a file is opened. */
export class RemoteFiles implements FuseFiles {
  readonly #options: RemoteFilesOptions;
  readonly #mounted: number;
  readonly #stats = new Map<string, KnownStat>();
  readonly #answers = new LastAnswers();
  /** By user: why the last write was refused. */
  readonly #errors = new LastAnswers();
  readonly #questions = new UserQuestions();
  /** Of the texts that are open. */
  readonly #lengths = new Map<string, OutputLength>();

  constructor(options: RemoteFilesOptions) {
    this.#options = options;
    this.#mounted = options.now();
  }

  async attributes(path: string, { uid, signal }: FuseCaller): Promise<Attributes> {
    if (path === ERROR_PATH) return this.#attributesOf(this.#errorStat(uid));
    const known = await this.#stat(path, signal);
    if (known.callable === true) return this.#attributesOf(this.#answerStat(known, path, uid));
    if (known.is_dir || !known.readable) return this.#attributesOf(known);
    const stat = this.#know(path, await this.#ask(() => this.#options.server.stat(this.#remote(path)), signal));
    return this.#attributesOf(stat.watchable ? { ...stat, size: await this.#lengthOf(path, stat.size) } : stat);
  }

  async lookUp(path: string, { uid, signal }: FuseCaller): Promise<Attributes> {
    if (path === ERROR_PATH) return this.#attributesOf(this.#errorStat(uid));
    const stat = await this.#stat(path, signal);
    return this.#attributesOf(stat.callable === true ? this.#answerStat(stat, path, uid) : stat);
  }

  async list(path: string, { signal }: FuseCaller): Promise<readonly Listed[]> {
    const entries = await this.#ask(() => this.#options.server.list(this.#remote(path)), signal);
    const listed = entries.map(({ name, is_dir }) => ({ name, folder: is_dir }));
    return path === "/" ? [...listed, { name: ERROR_PATH.slice(1), folder: false }] : listed;
  }

  async open(path: string, mode: OpenMode, asking: FuseCaller): Promise<OpenFile> {
    const { uid, signal } = asking;
    if (path === ERROR_PATH && !mode.write) return new SnapshotFile(this.#errorOf(uid));
    const stat = path === ERROR_PATH ? this.#errorStat(uid) : await this.#stat(path, signal);
    const isCall = stat.callable === true;
    if (mode.write && !stat.writable) throw new FuseError("EACCES");
    if (mode.read && !stat.readable) throw new FuseError("EACCES");
    if (mode.write) return this.#openForWriting(path, { ...mode, isCall }, asking);
    if (isCall) return new SnapshotFile(this.#answers.get(uid, path) ?? new Uint8Array(0));
    if (stat.watchable) return this.#openOutput(path);
    const bytes = await this.#read(path, signal);
    return new SnapshotFile(bytes, () => this.#questions.read(uid, path, bytes));
  }

  #openForWriting(
    path: string,
    { read, isCall }: OpenMode & { readonly isCall: boolean },
    { uid, pid }: FuseCaller,
  ): OpenFile {
    const opener = MANY_WRITERS.test(path) ? processOf(pid) : undefined;
    return new MessageFile({
      readable: read,
      isOpener: (closing) => opener === undefined || opener === (processOf(closing.pid) ?? opener),
      isWhole: isAnswerFile(path) ? isWholeAnswer : () => true,
      send: async (message) => {
        try {
          const answer = await patiently(() => this.#send(path, { uid, message, isCall }), { again: false });
          if (isCall) this.#answers.set(uid, path, answer);
          return answer ?? (read ? await this.#read(path) : new Uint8Array(0));
        } catch (error) {
          if (isCall) this.#answers.set(uid, path, undefined);
          this.#errors.set(uid, ERROR_PATH, Buffer.from(`${path}: ${(error as Error).message}\n`, "utf8"));
          throw error;
        }
      },
      unasked: async () => (isCall ? (this.#answers.get(uid, path) ?? new Uint8Array(0)) : this.#read(path)),
    });
  }

  /** The answer of a file that answers. */
  async #send(
    path: string,
    { uid, message, isCall }: { readonly uid: number; readonly message: Uint8Array; readonly isCall: boolean },
  ): Promise<Uint8Array | undefined> {
    const { server } = this.#options;
    const remote = this.#remote(path);
    if (isCall) return server.call(remote, message);
    const shown = this.#questions.of(uid, path);
    await server.write(remote, message, shown === undefined ? {} : { shown });
    this.#questions.answered(uid, path, message);
    return undefined;
  }

  #openOutput(path: string): OpenFile {
    const { server } = this.#options;
    const remote = this.#remote(path);
    const length = this.#lengths.get(path) ?? new OutputLength({ server, remote });
    this.#lengths.set(path, length);
    // The opener may have seen a size before.
    length.saw(this.#stats.get(path)?.stat.size ?? 0);
    length.users += 1;
    return new OutputFile({
      follow: (offset, signal) => followUntilIdle(server, { remote, offset, signal }),
      length,
      growing: async () => (await this.#ask(() => server.stat(remote))).growing === true,
      onRelease: () => {
        length.users -= 1;
        if (length.users > 0) return;
        length.stop();
        this.#lengths.delete(path);
      },
    });
  }

  /** The stored length, and what was already seen of an open message. */
  async #lengthOf(path: string, written: number): Promise<number> {
    const length = this.#lengths.get(path);
    if (length === undefined) return written;
    length.saw(written);
    return Math.max(written, length.followed ? await this.#ask(() => length.now()) : length.known);
  }

  #read(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(() => this.#options.server.read(this.#remote(path), { peek: true }), signal);
  }

  /** Names are looked up at every step of every path; a file's permitted use does not change between them. */
  async #stat(path: string, signal: AbortSignal): Promise<FileStat> {
    const now = this.#options.now();
    const known = this.#stats.get(path);
    if (known !== undefined && known.until > now) return known.stat;
    const stat = await this.#ask(() => this.#options.server.stat(this.#remote(path), { sized: false }), signal);
    // Another program may have mapped the file: a size of 0 would truncate it.
    const { size, modified } = known?.stat ?? stat;
    return this.#know(path, { ...stat, size, ...(modified === undefined ? {} : { modified }) });
  }

  #know(path: string, stat: FileStat): FileStat {
    this.#stats.delete(path);
    this.#stats.set(path, { stat, until: this.#options.now() + LIMITS.mountStatMs });
    for (const oldest of this.#stats.keys()) {
      if (this.#stats.size <= LIMITS.mountStats) break;
      this.#stats.delete(oldest);
    }
    return stat;
  }

  #ask<Answer>(ask: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    return patiently(ask, { again: true, ...(signal === undefined ? {} : { signal }) });
  }

  /** A file that answers is as long as this user's last answer. */
  #answerStat(stat: FileStat, path: string, uid: number): FileStat {
    return { ...stat, size: this.#answers.get(uid, path)?.length ?? 0 };
  }

  #errorOf(uid: number): Uint8Array {
    return this.#errors.get(uid, ERROR_PATH) ?? new Uint8Array(0);
  }

  #errorStat(uid: number): FileStat {
    return { is_dir: false, size: this.#errorOf(uid).length, readable: true, writable: false, watchable: false };
  }

  #attributesOf(stat: FileStat): Attributes {
    const bits = stat.is_dir ? 0o5 : (stat.readable ? 0o4 : 0) | (stat.writable ? 0o2 : 0);
    const permissions = this.#options.allowOther ? bits * 0o111 : bits << 6;
    const modified = stat.modified === undefined ? this.#mounted : Date.parse(stat.modified);
    return {
      folder: stat.is_dir,
      permissions,
      size: stat.size,
      modified: Number.isNaN(modified) ? this.#mounted : modified,
    };
  }

  #remote(path: string): string {
    return path === "/" ? this.#options.root : `${this.#options.root}${path}`;
  }
}

/** Words end with their line: a name may follow on it, from another program. */
function isWholeAnswer(message: Uint8Array): boolean {
  const text = Buffer.from(message).toString("utf8");
  return text.endsWith("\n") || text.trimEnd().endsWith("}");
}

/** Waits for a session that has said nothing yet; otherwise reads until it waits for a prompt or has ended. */
async function* followUntilIdle(
  server: MountServer,
  { remote, offset, signal }: { readonly remote: string; readonly offset: number; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let at = offset;
  for await (const bytes of server.follow(remote, { offset, until: "idle", signal })) {
    at += bytes.length;
    yield bytes;
  }
  if (at > 0 || signal.aborted) return;
  for await (const bytes of server.follow(remote, { offset: 0, signal })) {
    at += bytes.length;
    yield bytes;
    break;
  }
  if (at > 0 && !signal.aborted) yield* server.follow(remote, { offset: at, until: "idle", signal });
}
