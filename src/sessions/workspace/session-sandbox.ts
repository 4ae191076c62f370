import { mkdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { openEgressProxy } from "../../network/index.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";
import {
  makeSandboxFolder,
  openLocalSandbox,
  removeSandboxFolder,
  type Sandbox,
  type SandboxRequest,
} from "../../sandbox/index.ts";
import { ripgrepFile } from "../../tools/index.ts";
import type { EnvironmentRequest } from "../dependencies.ts";
import type { EnvironmentOptions } from "./environment.ts";

export interface SessionSandbox {
  readonly sandbox: Sandbox;
  /** Where programs inside reach models; absent: where all others do. */
  readonly modelUrl?: string | undefined;
  close(): Promise<void>;
}

/** The port inside at which programs find the way out. */
const EGRESS_PORT = 3_128;
const EGRESS_URL = `http://127.0.0.1:${EGRESS_PORT}`;
/** Not through the proxy: what is inside, and the name under which Claude's programs know the model socket. */
const NOT_PROXIED = "localhost,127.0.0.1,::1,sallyport";
/** What programs of every kind read to find a proxy. */
const EGRESS_ENVIRONMENT = {
  HTTP_PROXY: EGRESS_URL,
  HTTPS_PROXY: EGRESS_URL,
  http_proxy: EGRESS_URL,
  https_proxy: EGRESS_URL,
  NO_PROXY: NOT_PROXIED,
  no_proxy: NOT_PROXIED,
  NODE_USE_ENV_PROXY: "1",
} as const;

/** Opens the place where a session's programs run. */
export async function openSessionSandbox(
  options: EnvironmentOptions,
  wanted: EnvironmentRequest,
  readable: readonly string[],
): Promise<SessionSandbox> {
  const { session_id, settings } = wanted;
  if (settings.sandbox === "local") {
    const sandbox = openLocalSandbox({
      sessionId: session_id,
      home: options.environment["HOME"] ?? settings.workspace,
      marker: options.marker,
      marks: options.marks,
      memoryBytes: options.engineMemoryBytes,
      commandMemoryBytes: options.commandMemoryBytes,
      environment: options.environment,
    });
    return { sandbox, close: () => sandbox.close() };
  }
  return openWalled(options, wanted, readable);
}

async function openWalled(
  options: EnvironmentOptions,
  wanted: EnvironmentRequest,
  readable: readonly string[],
): Promise<SessionSandbox> {
  const { session_id, settings } = wanted;
  const driver = options.drivers.get(settings.sandbox);
  const missing = driver === undefined ? { reason: "there is no driver for it" } : await driver.missing();
  if (driver === undefined || missing !== undefined)
    throw new Failure("unsupported", `the sandbox ${settings.sandbox} does not work here: ${missing?.reason ?? ""}`);
  const folder = makeSandboxFolder(options.marker);
  const opened: (() => Promise<unknown>)[] = [async () => removeSandboxFolder(folder)];
  const close = async (): Promise<void> => {
    for (const end of opened.toReversed()) await end();
  };
  try {
    const programs = options.engineFiles(settings.engine);
    const modelUrl = programs.length === 0 ? undefined : await openModel(options, folder, opened);
    const writable = options.engineFolders(settings.engine, session_id);
    for (const path of writable) mkdirSync(path, { recursive: true, mode: 0o700 });
    const request: SandboxRequest = {
      sessionId: session_id,
      workspace: settings.workspace,
      readable: [...new Set([...readable, ...programs, await ripgrepFile()])],
      writable,
      hidden: [options.home],
      folder,
      ...(settings.network === "proxy_only"
        ? await openEgress(wanted, folder, opened)
        : { forwards: [], environment: {} }),
      memoryBytes: options.engineMemoryBytes,
    };
    const sandbox = await driver.open(request);
    opened.push(() => sandbox.close());
    return { sandbox, modelUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The model proxy's socket of this sandbox alone. */
async function openModel(
  { openModelSocket }: EnvironmentOptions,
  folder: string,
  opened: (() => Promise<unknown>)[],
): Promise<string> {
  const path = join(folder, "model");
  const socket = await openModelSocket(path);
  opened.push(() => socket.close());
  await openToInside(path);
  return `unix:${path}`;
}

async function openEgress(
  wanted: EnvironmentRequest,
  folder: string,
  opened: (() => Promise<unknown>)[],
): Promise<Pick<SandboxRequest, "forwards" | "environment">> {
  const path = join(folder, "egress");
  const told = new Set<string>();
  const proxy = await openEgressProxy({
    listen: path,
    hosts: wanted.egressHosts,
    onRefused: ({ host, port, message }) => {
      // A program that tries again and again is told each time; people are told once.
      const key = `${host}:${port}`;
      if (told.has(key) || told.size >= LIMITS.egressNotices) return;
      told.add(key);
      wanted.notice(message);
    },
  });
  opened.push(() => proxy.close());
  await openToInside(path);
  return { forwards: [{ port: EGRESS_PORT, socket: path }], environment: EGRESS_ENVIRONMENT };
}

/** The folder around it is private; whoever is inside may be another user than the server. */
function openToInside(path: string): Promise<void> {
  return chmod(path, 0o666);
}
