import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { SallyportClient } from "../client/index.ts";
import { Failure, LIMITS, PROTOCOL_VERSION, speaksOurs } from "../protocol/index.ts";
import { SERVER_FILE, TOKEN_FILE } from "./home/files.ts";
import { folderId } from "./home/home-marker.ts";
import { readSettings, type Settings } from "./settings/settings.ts";
import type { ProcessContext } from "./surroundings.ts";
import { readTextFile } from "./settings/text-file.ts";

const RACE_POLL_MS = 100;

export interface GlobalFlags {
  readonly home?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
}

/** A server that commands talk to: a running one, or one inside this process. */
export interface ServerConnection {
  readonly client: SallyportClient;
  readonly url: string;
  /** The caller's token for that server. */
  readonly token: string;
  readonly embedded: boolean;
  /** On this machine: the server sees the caller's folders. */
  readonly local: boolean;
  /** Where the home's server answers now: it may have come back on another port, with another token. Absent: the address was named. */
  readonly locate?: (() => Promise<ServerAddress | undefined>) | undefined;
  close(): Promise<void>;
}

type ServerAddress = Pick<ServerConnection, "url" | "token">;

export interface ConnectOptions {
  readonly flags: GlobalFlags;
  readonly surroundings: ProcessContext;
  readonly onReconnect: (attempt: number, waitMs: number) => void;
  /** The store of the server inside this process can no longer write. */
  readonly onFatal: (error: Error) => void;
}

/** Nothing answers at the given address. */
export class Unreachable extends Error {
  readonly url: string;

  constructor(url: string) {
    super(`no Sallyport server answers at ${url}`);
    this.url = url;
  }
}

export interface FoundServer {
  readonly url: string;
  readonly pid: number;
}

/** The server named by a flag or the environment, else one that runs on this home, else one inside this process. */
export async function connect(options: ConnectOptions): Promise<ServerConnection> {
  const { flags, surroundings } = options;
  const { environment } = surroundings;
  const settings = readSettings({ home: flags.home }, environment, surroundings.cwd);
  const named = given(flags.server) ?? given(environment["SALLYPORT_URL"]);
  if (named !== undefined) {
    // The link that `serve` prints contains the token.
    const link = URL.canParse(named) ? given(new URL(named).searchParams.get("token") ?? "") : undefined;
    const token = given(flags.token) ?? link;
    return connectNamed(addressOf(named), settings, { ...options, flags: { ...flags, token } });
  }
  const running = await findServer(settings.home.value);
  return running === undefined ? embed(settings, options) : connectFound(running, settings, options);
}

const ServerFile = z.object({ url: z.url(), pid: z.number().int().positive(), folder: z.string().optional() });

/** The server that has this home open; undefined when none answers. */
export async function findServer(home: string): Promise<FoundServer | undefined> {
  const text = textOf(join(home, SERVER_FILE));
  if (text === undefined) return undefined;
  const parsed = ServerFile.safeParse(jsonOf(text));
  if (!parsed.success || !isAlive(parsed.data.pid)) return undefined;
  const { url, pid, folder } = parsed.data;
  // A file that was copied with the folder names the other folder's server.
  if (folder !== undefined && folder !== (await folderId(home).catch(() => undefined))) return undefined;
  return (await protocolOf(url)) === undefined ? undefined : { url, pid };
}

/** The first admin's token of a home; undefined if SALLYPORT_TOKEN set it, or no server ever ran. */
export function homeToken(home: string): string | undefined {
  return given((textOf(join(home, TOKEN_FILE)) ?? "").trim());
}

/** Undefined for anything but our own file; a pipe is not waited for. */
function textOf(path: string): string | undefined {
  try {
    return readTextFile(path);
  } catch {
    return undefined;
  }
}

async function connectNamed(url: string, settings: Settings, options: ConnectOptions): Promise<ServerConnection> {
  await checkProtocol(url);
  const own = await findServer(settings.home.value);
  // A home's token is sent only to that home's own server.
  const kept = own !== undefined && addressOf(own.url) === url ? homeToken(settings.home.value) : undefined;
  const token = tokenOf(options, kept);
  if (token === undefined)
    throw new Failure("unauthenticated", `no token for ${url}: pass --token or set SALLYPORT_TOKEN`);
  return connectionTo(url, token, options);
}

async function connectFound(
  found: FoundServer,
  settings: Settings,
  options: ConnectOptions,
): Promise<ServerConnection> {
  await checkProtocol(found.url);
  const token = tokenOf(options, homeToken(settings.home.value));
  if (token === undefined) {
    const message = `the server of this home (pid ${found.pid}) was started with SALLYPORT_TOKEN: set the same here, or pass --token`;
    throw new Failure("unauthenticated", message);
  }
  const locate = async (): Promise<ServerAddress | undefined> => {
    const now = await findServer(settings.home.value);
    return now === undefined
      ? undefined
      : { url: now.url, token: tokenOf(options, homeToken(settings.home.value)) ?? token };
  };
  return { ...connectionTo(found.url, token, options), locate };
}

function tokenOf({ flags, surroundings }: ConnectOptions, kept: string | undefined): string | undefined {
  return given(flags.token) ?? given(surroundings.environment["SALLYPORT_TOKEN"]) ?? kept;
}

function connectionTo(url: string, token: string, options: ConnectOptions): ServerConnection {
  const client = new SallyportClient({ url, token, onReconnect: options.onReconnect });
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
  return { client, url, token, embedded: false, local, close: async () => undefined };
}

async function checkProtocol(url: string): Promise<void> {
  const protocol = await protocolOf(url);
  if (protocol === undefined) throw new Unreachable(url);
  if (speaksOurs(protocol)) return;
  const message = `the server at ${url} speaks protocol ${protocol}, this command ${PROTOCOL_VERSION}: use the same version of both`;
  throw new Failure("protocol_mismatch", message);
}

async function embed(settings: Settings, options: ConnectOptions): Promise<ServerConnection> {
  const { surroundings } = options;
  const { environment } = surroundings;
  const logLevel =
    given(environment["SALLYPORT_LOG_LEVEL"]) ??
    (given(environment["SALLYPORT_DEBUG"]) === undefined ? "silent" : "info");
  const inside: Settings = {
    ...settings,
    host: { value: "127.0.0.1", origin: "default" },
    port: { value: 0, origin: "default" },
  };
  // Loaded on demand: most commands find a running server.
  const { serve } = await import("./serve.ts");
  try {
    const serving = await serve({
      settings: inside,
      environment,
      version: surroundings.version,
      logLevel,
      onFatal: options.onFatal,
    });
    const client = new SallyportClient({ url: serving.url, token: serving.token });
    return {
      client,
      url: serving.url,
      token: serving.token,
      embedded: true,
      local: true,
      close: () => serving.close(),
    };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "conflict") throw error;
    const other = await awaitServer(settings.home.value);
    if (other === undefined) throw error;
    return connectFound(other, settings, options);
  }
}

/** Another process has just locked the home: it will publish its address in a moment. */
async function awaitServer(home: string): Promise<FoundServer | undefined> {
  for (let waited = 0; waited < LIMITS.serverAppearMs; waited += RACE_POLL_MS) {
    const found = await findServer(home);
    if (found !== undefined) return found;
    await pause(RACE_POLL_MS);
  }
  return undefined;
}

/** A server's protocol version; undefined when none of ours answers there. */
async function protocolOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(LIMITS.serverProbeMs) });
    const parsed = z.object({ status: z.literal("ok"), protocol: z.string() }).safeParse(await response.json());
    return parsed.success ? parsed.data.protocol : undefined;
  } catch {
    return undefined;
  }
}

function addressOf(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Failure("invalid_request", `${text} is not the address of a server; write it as http://127.0.0.1:5353`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Failure(
      "invalid_request",
      `${text} is not the address of a server; it must begin with http:// or https://`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function given(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
