import { MountClient } from "../../../src/client/index.ts";
import type { Role } from "../../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";

/** The mount as its callers use it: paths, texts and JSON. */
export class Files {
  readonly token: string;
  readonly url: string;
  readonly mount: MountClient;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
    // A busy machine takes its time to start a server again.
    this.mount = new MountClient({ url, token, absenceMs: 60_000 });
  }

  async text(path: string): Promise<string> {
    return new TextDecoder().decode(await this.mount.read(path));
  }

  async json<Value = Record<string, unknown>>(path: string): Promise<Value> {
    return JSON.parse(await this.text(path)) as Value;
  }

  write(path: string, text: unknown): Promise<void> {
    return this.mount.write(path, typeof text === "string" ? text : JSON.stringify(text));
  }

  async call<Value = Record<string, string>>(path: string, value: unknown): Promise<Value> {
    const bytes = await this.mount.call(path, typeof value === "string" ? value : JSON.stringify(value));
    return JSON.parse(new TextDecoder().decode(bytes)) as Value;
  }

  /** A new session's folder. */
  async create(request: Readonly<Record<string, unknown>>): Promise<string> {
    const { session_id } = await this.call("/claude/new", { model: "sim", ...request });
    return `/claude/sessions/${session_id}`;
  }

  /** The output until the session waits for a prompt. */
  async outputUntilIdle(folder: string, offset = 0): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const bytes of this.mount.follow(`${folder}/output`, { offset, until: "idle" })) parts.push(bytes);
    return Buffer.concat(parts).toString("utf8");
  }

  /** Reads status until it is one of these. */
  async until(folder: string, ...wanted: readonly string[]): Promise<Record<string, unknown>> {
    for (;;) {
      const status = await this.json(`${folder}/status`);
      if (wanted.includes(String(status["status"]))) return status;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** What a plain HTTP request is answered. */
  async http(
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<{ readonly status: number; readonly type: string; readonly errno: string | null; readonly text: string }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      errno: response.headers.get("x-sallyport-errno"),
      text: await response.text(),
    };
  }
}

export interface MountWorld {
  readonly app: TestApp;
  readonly admin: Files;
  as(role: Role, name?: string): Promise<Files>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openMountWorld(): Promise<MountWorld> {
  const app = await openTestApp();
  return worldOf(app);
}

export function worldOf(app: TestApp): MountWorld {
  return {
    app,
    get admin() {
      return new Files(app.serving.url, app.serving.token);
    },
    as: async (role, name) => new Files(app.serving.url, (await app.as(role, name)).token),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
