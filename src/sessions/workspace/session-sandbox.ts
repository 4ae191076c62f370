import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openEgressProxy, placeOf, type HostCredential } from "../../network/index.ts";
import { Failure, LIMITS, type SessionSettings } from "../../protocol/index.ts";
import {
  holdingSandbox,
  makeSandboxFolder,
  openLocalSandbox,
  removeSandboxFolder,
  reuseSandboxFolder,
  type Sandbox,
  type HeldPlace,
  type SandboxRequest,
} from "../../sandbox/index.ts";
import { ripgrepFile } from "../../tools/index.ts";
import { findRepository } from "../../workspaces/index.ts";
import type { EnvironmentRequest } from "../dependencies.ts";
import type { EnvironmentOptions } from "./environment.ts";
import { keepRefusal } from "./session-browser.ts";

export interface SessionSandbox {
  readonly sandbox: Sandbox;
  /** Where programs inside reach models; absent: where all others do. */
  readonly modelUrl?: string | undefined;
  /** The same over HTTP. Absent: as above. */
  readonly modelHttpUrl?: string | undefined;
  /** The way out, as programs inside find it. Absent: there is none, or no wall. */
  readonly egressUrl?: string | undefined;
  /** Why hosts were refused at the way out, for whoever takes them away; bounded. */
  readonly refusals: string[];
  close(): Promise<void>;
}

const MIB = 1_048_576;

/** The port inside at which programs find the way out. */
const EGRESS_PORT = 3_128;
const EGRESS_URL = `http://127.0.0.1:${EGRESS_PORT}`;
/** The port inside at which programs that cannot use a socket reach models. */
const MODEL_PORT = 3_129;
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
    const home = options.environment["HOME"] ?? settings.workspace;
    const { environment, engineMemoryBytes: memoryBytes } = options;
    const local = openLocalSandbox({
      sessionId: session_id,
      home,
      marker: options.marker,
      marks: options.marks,
      watchdog: options.watchdog,
      memoryBytes,
      commandMemoryBytes: jobMemory(settings) ?? options.commandMemoryBytes,
      environment,
    });
    const place = { kind: "local", home, memoryBytes, environment: { ...environment } } as const;
    const { supervisor } = options;
    const sandbox = supervisor === undefined ? local : holdingSandbox(local, { supervisor, session_id, place });
    return { sandbox, refusals: [], close: () => sandbox.close() };
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
  const { supervisor } = options;
  // A program that outlived the last server finds its sockets where they were.
  const known = supervisor?.of(session_id)?.folder;
  const folder = known === undefined ? makeSandboxFolder(options.marker) : reuseSandboxFolder(known);
  let hasLeft = (): boolean => false;
  const opened: (() => Promise<unknown>)[] = [async () => (hasLeft() ? undefined : removeSandboxFolder(folder))];
  const close = async (): Promise<void> => {
    for (const end of opened.toReversed()) await end();
  };
  try {
    const programs = options.engineFiles(settings.engine);
    const modelUrl = programs.length === 0 ? undefined : await openModel(options, folder, opened);
    const refusals: string[] = [];
    const hasEgress = settings.network === "proxy_only";
    const egress = hasEgress
      ? await openEgress(options, { wanted, folder, opened, refusals })
      : { forwards: [], environment: {} };
    const writable = options.engineFolders(settings.engine, session_id);
    for (const path of writable) mkdirSync(path, { recursive: true, mode: 0o700 });
    const request: SandboxRequest = {
      sessionId: session_id,
      workspace: settings.workspace,
      readable: await shownFiles(wanted, [...readable, ...programs, ...browserFiles(options)]),
      programs,
      writable,
      hidden: [options.home],
      folder,
      ...egress,
      forwards: [...egress.forwards, ...(modelUrl === undefined ? [] : [modelForward(modelUrl)])],
      memoryBytes: jobMemory(settings) ?? options.engineMemoryBytes,
      cpus: options.sandboxCpus,
    };
    const opening = await driver.open(request);
    const place = { kind: "bubblewrap", request: plain(request) } as const;
    // Only bubblewrap's programs can be held so far, and none of those whose processor time a control group of this server bounds.
    const canHold = supervisor !== undefined && opening.kind === "bubblewrap" && request.cpus === undefined;
    const holding = canHold ? holdingSandbox(opening, { supervisor, session_id, place }) : undefined;
    hasLeft = () => holding?.hasLeft === true;
    const sandbox = holding ?? opening;
    opened.push(() => sandbox.close());
    const modelHttpUrl = modelUrl === undefined ? undefined : `http://127.0.0.1:${MODEL_PORT}`;
    return { sandbox, modelUrl, modelHttpUrl, egressUrl: hasEgress ? EGRESS_URL : undefined, refusals, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function browserFiles({ browser }: EnvironmentOptions): readonly string[] {
  return browser !== undefined && "files" in browser.program ? browser.program.files : [];
}

/** What a sandbox shows beside the workspace. */
async function shownFiles(
  { settings, serverFiles }: EnvironmentRequest,
  others: readonly string[],
): Promise<readonly string[]> {
  return [...new Set([...others, ...serverFiles, await ripgrepFile(), ...(await gitFolderOf(settings))])];
}

/** What a job asked for; absent: it did not. */
function jobMemory({ job }: SessionSettings): number | undefined {
  return job?.memory_mib === undefined ? undefined : job.memory_mib * MIB;
}

/** As the supervisor gets it. */
function plain({
  programs: _programs,
  cpus: _cpus,
  ...request
}: SandboxRequest): Extract<HeldPlace, { kind: "bubblewrap" }>["request"] {
  return {
    ...request,
    readable: [...request.readable],
    writable: [...request.writable],
    hidden: [...request.hidden],
    forwards: request.forwards.map((forward) => ({ ...forward })),
    environment: { ...request.environment },
  };
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
  openToInside(path);
  return `unix:${path}`;
}

function modelForward(url: string): SandboxRequest["forwards"][number] {
  return { port: MODEL_PORT, socket: url.slice("unix:".length) };
}

interface EgressPlace {
  readonly wanted: EnvironmentRequest;
  readonly folder: string;
  readonly opened: (() => Promise<unknown>)[];
  readonly refusals: string[];
}

async function openEgress(
  { egress }: EnvironmentOptions,
  { wanted, folder, opened, refusals }: EgressPlace,
): Promise<Pick<SandboxRequest, "forwards" | "environment">> {
  const path = join(folder, "egress");
  const told = new Set<string>();
  const credentials = egress?.credentials ?? [];
  const proxy = await openEgressProxy({
    listen: path,
    hosts: wanted.egressHosts,
    ask: wanted.askHost,
    credentials,
    addressOf: egress?.addressOf,
    onRefused: ({ host, port, reason, message }) => {
      egress?.onRefused(reason);
      keepRefusal(refusals, message);
      // A program that tries again and again is told each time; people are told once. A question and its answer told them already.
      const key = `${host}:${port}`;
      if (reason === "not_approved" || told.has(key) || told.size >= LIMITS.egressNotices) return;
      told.add(key);
      wanted.notice(message);
    },
  });
  opened.push(() => proxy.close());
  openToInside(path);
  return {
    forwards: [{ port: EGRESS_PORT, socket: path }],
    environment: { ...EGRESS_ENVIRONMENT, ...gitEnvironment(credentials) },
  };
}

/** Makes git speak to the proxy without TLS where the proxy puts a credential in: it speaks TLS to the host itself. */
function gitEnvironment(credentials: readonly HostCredential[]): Readonly<Record<string, string>> {
  const entries = credentials.flatMap((credential, index) => {
    const place = placeOf(credential);
    return [
      [`GIT_CONFIG_KEY_${index}`, `url.http://${place}/.insteadOf`],
      [`GIT_CONFIG_VALUE_${index}`, `https://${place}/`],
    ];
  });
  return entries.length === 0 ? {} : { GIT_CONFIG_COUNT: String(credentials.length), ...Object.fromEntries(entries) };
}

/** The folder around it is private; whoever is inside may be another user than the server. */
function openToInside(path: string): void {
  chmodSync(path, 0o666);
}

/** Where the history of a worktree is: read there, never written. */
async function gitFolderOf({ workspace_mode, workspace }: SessionSettings): Promise<readonly string[]> {
  if (workspace_mode !== "worktree") return [];
  // What its `.git` says is the agent's to change: it counts only where the repository knows of this worktree.
  const repository = await findRepository(workspace).catch(() => undefined);
  if (repository === undefined || repository.gitFolder === repository.commonFolder) return [];
  return [repository.commonFolder];
}
