import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Redactor } from "../../protocol/index.ts";

/** What is kept of a login at a remote server. The parts of the SDK pass through as they came. */
const StoredServerLogin = z.object({
  /** The server that it is for: another address does not get it. */
  url: z.string(),
  client: z.looseObject({ client_id: z.string() }),
  tokens: z.looseObject({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
  }),
  redirect_url: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type StoredServerLogin = z.infer<typeof StoredServerLogin>;

/** The logins of one server: each in a file that only the server's user can read. Names are those of MCP servers, so they are safe. */
export class LoginFiles {
  readonly #folder: string;
  readonly #redact: Redactor;

  constructor(folder: string, redact: Redactor) {
    this.#folder = folder;
    this.#redact = redact;
  }

  /** Undefined: there is none for this address. */
  async read(name: string, url: string): Promise<StoredServerLogin | undefined> {
    const text = await readFile(this.#path(name), "utf8").catch(() => undefined);
    const stored = text === undefined ? undefined : StoredServerLogin.safeParse(parsed(text)).data;
    if (stored?.url !== url) return undefined;
    this.#learn(stored);
    return stored;
  }

  /** Whole or not at all. */
  async write(name: string, login: StoredServerLogin): Promise<void> {
    this.#learn(login);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#path(name)}.new`;
    try {
      await writeFile(draft, JSON.stringify(login), { mode: 0o600, flush: true });
      await rename(draft, this.#path(name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  /** Hidden wherever they turn up. */
  #learn({ tokens, client }: StoredServerLogin): void {
    this.#redact.learn(tokens.access_token);
    if (tokens.refresh_token !== undefined) this.#redact.learn(tokens.refresh_token);
    if (typeof client["client_secret"] === "string") this.#redact.learn(client["client_secret"]);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
