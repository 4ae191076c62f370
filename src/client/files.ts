import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import { errnoOf, FILE_ERRNOS, FileFailure } from "../protocol/dialects/mount/errno.ts";
import { Failure, failureIn } from "../protocol/failure.ts";
import type { ClaudeChunk, FileEntry, FileStat, MountFrame } from "../protocol/index.ts";
import { readSse } from "./sse.ts";
import { currentToken, withToken, type CurrentToken, type TokenSource } from "./token.ts";
import { checkVersion, OWN_VERSION } from "./version-check.ts";

export interface MountClientOptions {
  /** Such as `http://127.0.0.1:5353`. */
  readonly url: string;
  /** Or a function that gets one; it is called again when the last one has expired. */
  readonly token: TokenSource;
  readonly fetch?: typeof fetch;
  /** How long the server may be away before `follow` and `watch` fail. Absent: 15 s. */
  readonly absenceMs?: number;
}

export interface FollowFileOptions {
  /** Bytes already known. Absent: 0. */
  readonly offset?: number;
  /** `idle`: until the session waits for a prompt. Absent: until it has ended. */
  readonly until?: "idle";
  readonly signal?: AbortSignal;
}

export interface FileWatchOptions {
  /** The `id` of the last known frame. Absent: everything. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

interface FileCall {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly accept?: string;
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The /claude mount over HTTP. Paths are complete: `/claude/sessions/<id>/status`. A refusal is thrown as a FileFailure with the errno of a file
 * system.
 */
export class MountClient {
  readonly #options: MountClientOptions;
  readonly #fetch: typeof fetch;
  readonly #token: CurrentToken;

  constructor(options: MountClientOptions) {
    this.#token = currentToken(options.token);
    this.#options = { ...options, url: options.url.replace(/\/+$/, "") };
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** `sized` false: only rights and kind are requested, and `size` is 0. Absent: with its size. */
  async stat(path: string, { sized = true }: { readonly sized?: boolean } = {}): Promise<FileStat> {
    const query = { stat: "1", ...(sized ? {} : { size: "0" }) };
    return (await (await this.#send({ method: "GET", path, query })).json()) as FileStat;
  }

  /** The entries of a folder; ENOTDIR for a file. */
  async list(path: string): Promise<readonly FileEntry[]> {
    const response = await this.#send({ method: "GET", path, query: { list: "1" } });
    return ((await response.json()) as { entries: FileEntry[] }).entries;
  }

  /** A file's bytes; EISDIR for a folder. `peek`: nobody sees them yet, so questions in them do not count as shown. */
  async read(path: string, { peek = false }: { readonly peek?: boolean } = {}): Promise<Uint8Array> {
    const query = { read: "1", ...(peek ? { peek: "1" } : {}) };
    return new Uint8Array(await (await this.#send({ method: "GET", path, query })).arrayBuffer());
  }

  /** `shown`: with an answer, the questions last shown to its writer. Absent: what was read with this token. */
  async write(
    path: string,
    bytes: Uint8Array | string,
    { shown }: { readonly shown?: readonly string[] } = {},
  ): Promise<void> {
    const query = shown === undefined ? {} : { query: { shown: shown.join(",") } };
    await this.#send({ method: "PUT", path, body: bytes, ...query });
  }

  /** Writes and reads the answer on the same handle: `new`, `fork`. */
  async call(path: string, bytes: Uint8Array | string): Promise<Uint8Array> {
    const response = await this.#send({ method: "POST", path, body: bytes, accept: "application/json" });
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The bytes of an `output` from an offset on, as they come. A lost connection is resumed where it broke. */
  async *follow(path: string, options: FollowFileOptions = {}): AsyncGenerator<Uint8Array> {
    let offset = options.offset ?? 0;
    const { until, signal } = options;
    const open = async function* (client: MountClient, opened: () => void): AsyncGenerator<Uint8Array> {
      const query = { follow: "1", offset: String(offset), ...(until === undefined ? {} : { until }) };
      const response = await client.#send({ method: "GET", path, query, signal });
      opened();
      if (response.body === null) return;
      for await (const bytes of chunksOf(response.body)) {
        offset += bytes.length;
        yield bytes;
      }
    };
    yield* again((opened) => open(this, opened), { signal, absenceMs: this.#options.absenceMs });
  }

  /** The chunks of an `output` after a position, as they come. A lost connection is resumed at the last one. */
  async *watch(path: string, options: FileWatchOptions = {}): AsyncGenerator<MountFrame> {
    let after = options.after;
    const { signal } = options;
    const open = async function* (client: MountClient, opened: () => void): AsyncGenerator<MountFrame> {
      const response = await client.#send({
        method: "GET",
        path,
        query: { watch: "1" },
        accept: "text/event-stream",
        lastEventId: after,
        signal,
      });
      opened();
      if (response.body === null) return;
      for await (const { id, data } of readSse(response.body)) {
        after = id ?? after;
        yield { id: after ?? "0", chunk: JSON.parse(data) as ClaudeChunk };
      }
    };
    yield* again((opened) => open(this, opened), { signal, absenceMs: this.#options.absenceMs });
  }

  async #send(call: FileCall): Promise<Response> {
    const path = call.path.split("/").map(encodeURIComponent).join("/");
    const query = call.query === undefined ? "" : `?${new URLSearchParams(call.query).toString()}`;
    const response = await withToken(this.#token, (authorization) =>
      this.#fetch(`${this.#options.url}${path}${query}`, {
        method: call.method,
        headers: {
          ...OWN_VERSION,
          ...authorization,
          ...(call.accept === undefined ? {} : { accept: call.accept }),
          ...(call.lastEventId === undefined ? {} : { "last-event-id": call.lastEventId }),
          ...(call.body === undefined ? {} : { "content-type": "text/plain; charset=utf-8" }),
        },
        ...(call.body === undefined ? {} : { body: call.body as string | Uint8Array<ArrayBuffer> }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      }),
    );
    checkVersion(response);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}

/**
 * Resumes a stream that was cut, with growing waits, until it ends by itself, is refused, is no longer wanted, or the server was away for too
 * long. `opened`: called when the server has answered.
 */
async function* again<Piece>(
  open: (opened: () => void) => AsyncGenerator<Piece>,
  {
    signal,
    absenceMs = CLIENT_LIMITS.mountAbsenceMs,
  }: { readonly signal: AbortSignal | undefined; readonly absenceMs: number | undefined },
): AsyncGenerator<Piece> {
  const { mountRetryMs, mountRetryCapMs } = CLIENT_LIMITS;
  let lost: number | undefined;
  let tries = 0;
  const opened = (): void => {
    lost = undefined;
    tries = 0;
  };
  for (;;) {
    try {
      yield* open(opened);
      return;
    } catch (error) {
      if (isOver(signal)) return;
      const now = performance.now();
      lost ??= now;
      const wait = Math.min(mountRetryCapMs, mountRetryMs * 2 ** tries);
      const isRefused = error instanceof Failure && error.code !== "shutting_down";
      if (isRefused || now - lost + wait > absenceMs) throw error;
      tries += 1;
      await pause(wait, signal);
      if (isOver(signal)) return;
    }
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function refusalOf(response: Response): Promise<Error> {
  const failure = failureIn(await response.json().catch(() => undefined));
  if (failure === undefined) return new FileFailure("EIO", "internal", `the server answered ${response.status}`);
  const { code, message, details } = failure;
  const named = response.headers.get("x-sallyport-errno");
  const errno = FILE_ERRNOS.find((known) => known === named);
  return new FileFailure(errno ?? errnoOf(failure), code, message, details);
}

/** Read each time: a signal may change while others wait. */
function isOver(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
