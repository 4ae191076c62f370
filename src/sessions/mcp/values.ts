import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { McpServer, McpServers, Redactor } from "../../protocol/index.ts";
import { replaceFile } from "../../workspaces/index.ts";

const FILE = "values.json";
/** What stands for a value in the journal and in every answer. */
const KEPT_APART = "(set)";

const Texts = z.record(z.string(), z.string());
const StoredValues = z.record(z.string(), z.object({ env: Texts.optional(), headers: Texts.optional() }));
/** The values of variables and headers, by server. */
export type McpServerValues = z.infer<typeof StoredValues>;

/**
 * The values of variables and headers that session requests gave to MCP servers. They may be secrets, so they are in no journal and no
 * answer: each session has a file that only the server's user can read, which goes with the session.
 */
export class McpValues {
  readonly #folder: string;
  readonly #redact: Redactor;

  constructor(folder: string, redact: Redactor) {
    this.#folder = folder;
    this.#redact = redact;
  }

  async keep(session_id: string, servers: McpServers): Promise<void> {
    const values: McpServerValues = {};
    for (const [name, server] of Object.entries(servers)) {
      const { env, headers } = valuesOf(server);
      if (env !== undefined || headers !== undefined) values[name] = { env, headers };
    }
    if (Object.keys(values).length === 0) return;
    this.#learn(values);
    await mkdir(this.folderOf(session_id), { recursive: true, mode: 0o700 });
    await replaceFile(this.#file(session_id), JSON.stringify(values));
  }

  /** A session that continues another one has the same values. */
  async copy(from: string, to: string): Promise<void> {
    const text = await readFile(this.#file(from), "utf8").catch(absent);
    if (text === undefined) return;
    await mkdir(this.folderOf(to), { recursive: true, mode: 0o700 });
    await replaceFile(this.#file(to), text);
  }

  async read(session_id: string): Promise<McpServerValues> {
    const text = await readFile(this.#file(session_id), "utf8").catch(() => "{}");
    const values = StoredValues.parse(JSON.parse(text));
    this.#learn(values);
    return values;
  }

  folderOf(session_id: string): string {
    return join(this.#folder, session_id);
  }

  #file(session_id: string): string {
    return join(this.folderOf(session_id), FILE);
  }

  #learn(values: McpServerValues): void {
    for (const { env = {}, headers = {} } of Object.values(values)) {
      for (const value of Object.values(headers)) learnHeader(this.#redact, value);
      for (const [name, value] of Object.entries(env)) if (SECRET_NAME.test(name)) this.#redact.learn(value);
    }
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Variables whose values are hidden wherever they turn up; others may hold ordinary words. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL/i;

/** The whole header, and the secret after its scheme. */
function learnHeader(redact: Redactor, value: string): void {
  redact.learn(value);
  redact.learn(value.split(" ").at(-1) ?? value);
}

function valuesOf(server: McpServer): McpServerValues[string] {
  return {
    env: "env" in server ? server.env : undefined,
    headers: "headers" in server ? server.headers : undefined,
  };
}

/** The servers as journals and answers show them. */
export function withoutValues(servers: McpServers): McpServers {
  const hidden = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.keys(texts).map((name) => [name, KEPT_APART]));
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServer] => {
      if ("env" in server && server.env !== undefined) return [name, { ...server, env: hidden(server.env) }];
      if ("headers" in server && server.headers !== undefined)
        return [name, { ...server, headers: hidden(server.headers) }];
      return [name, server];
    }),
  );
}
