import { createServer, type IncomingHttpHeaders } from "node:http";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProviderSettings } from "../../src/protocol/index.ts";
import { openProviders, type ProviderBook } from "../../src/proxy/index.ts";

/** A request as a provider sees it. */
export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const MODELS = JSON.stringify({ data: [{ id: "one" }, { id: "two" }] });

/** A provider made of HTTP that answers as it is told and remembers what it was asked. */
export async function openUpstream(
  answer: (seen: Seen) => Answer = () => ({ status: 200, body: MODELS }),
  socket?: string,
): Promise<{ readonly url: string; readonly seen: readonly Seen[]; [Symbol.asyncDispose](): Promise<void> }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const one = { path: request.url ?? "", headers: request.headers };
    seen.push(one);
    const { status, body = "{}", headers = {} } = answer(one);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => {
    if (socket === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(socket, resolve);
  });
  return {
    url: socket === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix:${socket}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A folder, a clock that stands still, and what providers told and logged. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "sallyport-providers-"));
  readonly learnt: string[] = [];
  readonly warnings: { readonly fields: object; readonly message: string }[] = [];
  readonly #books: ProviderBook[] = [];
  now = 1_000_000;

  readonly log = {
    warn: (fields: object, message: string): void => void this.warnings.push({ fields, message }),
  };

  open(
    settings: ProviderSettings | (() => ProviderSettings),
    environment: Readonly<Record<string, string>> = {},
    simUrl = "http://127.0.0.1:9",
  ): ProviderBook {
    const book = openProviders({
      settings: typeof settings === "function" ? settings : () => settings,
      environment: { PATH: process.env["PATH"], HOME: this.folder, ...environment },
      simUrl,
      now: () => this.now,
      learn: (secret) => void this.learnt.push(secret),
      log: this.log,
    });
    this.#books.push(book);
    return book;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string, mode = 0o600): string {
    const path = this.path(name);
    // Another inode each time: a clock of the file system may be too coarse to tell two writes apart.
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode });
    if ((statSync(path).mode & 0o777) !== mode) throw new Error("the umask changed the mode");
    return path;
  }

  /** Everything that anybody could have read. */
  get told(): string {
    return JSON.stringify(this.warnings);
  }

  [Symbol.dispose](): void {
    for (const book of this.#books) book.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The names of the keys that would be tried, in order. */
export async function namesOf(book: ProviderBook, id: string): Promise<readonly string[]> {
  return (await book.get(id).credentials()).map(({ name }) => name);
}
