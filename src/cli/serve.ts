import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LIMITS, makeRedactor, type Redactor, type Log } from "../protocol/index.ts";
import { CHECKPOINTS, type Checkpoint, type Gateway, type UsualSandbox } from "../sessions/index.ts";
import { listen, SYSTEM_CLOCK, type Listening, type WriteAccessLine } from "../surfaces/index.ts";
import { openConsoleRelay, type ConsoleRelay } from "./wiring/console-relay.ts";
import { openConsoleTls } from "./wiring/console-tls.ts";
import { SERVER_FILE } from "./home/files.ts";
import { folderId } from "./home/home-marker.ts";
import { replacePrivateFile } from "./home/private-file.ts";
import { openApp, type App, type AppOptions } from "./app.ts";
import { openLog } from "./log.ts";
import { connectionsFor, OWN_OPEN_FILES } from "./open-files.ts";
import type { Environment } from "./settings/settings.ts";

export interface Serving {
  readonly url: string;
  readonly token: string;
  /** Where model calls go, for people. */
  readonly modelAddress: string;
  /** What sessions get that name no sandbox. */
  readonly sandbox: UsualSandbox;
  readonly gateway: Gateway;
  /** Where people reach consoles of machines behind tunnels. Undefined: nowhere. */
  readonly consoleRelayPort: number | undefined;
  /** Refuses new work; resolves when running commands have ended, the time is up, or the signal is aborted. */
  drain(signal: AbortSignal): Promise<void>;
  /** Waits for an unavailable disk for `storeCloseMs` at most, and not at all when the signal is aborted. */
  close(hurry?: AbortSignal): Promise<void>;
}

export interface ServeOptions extends Omit<AppOptions, "log" | "redact" | "reach" | "openSockets"> {
  readonly logLevel: string;
  /** Takes the log's lines, which are redacted. Absent: standard error. */
  readonly openLog?: ((redact: Redactor) => Log) | undefined;
}

/** Opens the app and listens. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { settings, environment } = options;
  const secrets = [settings.apiKey.value, settings.token.value].filter((secret) => secret !== undefined);
  const redact = makeRedactor(secrets);
  const log = options.openLog?.(redact) ?? openLog(options.logLevel, redact);
  let end = async (): Promise<void> => undefined;
  let openSockets = (): number => 0;
  const app = await openApp({
    ...options,
    log,
    redact,
    reach: crashPoint(environment),
    // The sessions' processes end first: nobody could watch them any more.
    onFatal: (error) =>
      void endThen(
        () => end(),
        () => options.onFatal(error),
      ),
    openSockets: () => openSockets(),
  });
  end = () => app.close();
  const server = await openSurfaces(options, { app, log, redact }).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  openSockets = () => server.sockets;
  const relay = await openConsoles(options, { app, log, server }).catch(async (error: unknown) => {
    await server.close();
    await app.close();
    throw error;
  });
  const file = join(settings.home.value, SERVER_FILE);
  const said = JSON.stringify({ url: server.url, pid: process.pid, folder: await folderId(settings.home.value) });
  await replacePrivateFile(file, said).catch(async (error: unknown) => {
    await relay?.close();
    await server.close();
    await app.close();
    throw error;
  });
  return {
    url: server.url,
    token: app.adminToken,
    modelAddress: app.modelAddress,
    sandbox: await app.gateway.usualSandbox(),
    gateway: app.gateway,
    consoleRelayPort: relay?.port,
    drain: (signal) => app.gateway.drain({ ms: settings.drainSeconds.value * 1_000, signal }),
    close: async (hurry) => {
      app.giveUpSoon(hurry);
      await relay?.close();
      await server.close();
      // While the home is still ours: a moment later it may be the next owner's file.
      if ((await readFile(file, "utf8").catch(() => undefined)) === said) await rm(file, { force: true });
      await app.close();
    },
  };
}

/** Continues when the work has ended, either way, or when the time is up. */
async function endThen(work: () => Promise<unknown>, next: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMITS.storeFatalMs);
  });
  await Promise.race([work().catch(() => undefined), late]);
  clearTimeout(timer);
  next();
}

/** Access log lines are written whatever the log level. Absent: none are. */
function accessLogOf({ settings, logLevel }: ServeOptions, redact: Redactor): WriteAccessLine | undefined {
  if (!(settings.accessLog.value ?? ["info", "debug"].includes(logLevel))) return undefined;
  const log = openLog("info", redact);
  return (line, message) => log.info(line, message);
}

interface SurfaceParts {
  readonly app: App;
  readonly log: Log;
  readonly redact: Redactor;
}

async function openSurfaces(options: ServeOptions, { app, log, redact }: SurfaceParts): Promise<Listening> {
  const { settings } = options;
  let ours: readonly string[] = [];
  const server = await listen({
    gateway: app.gateway,
    log,
    version: options.version,
    host: settings.host.value,
    port: settings.port.value,
    requestsPerMinute: settings.requestsPerMinute.value,
    clock: options.clock,
    metrics: () => app.telemetry.metrics(),
    onRequest: (request) => app.telemetry.httpRequest(request),
    accessLog: accessLogOf(options, redact),
    connections: connectionsFor(options.openFiles ?? OWN_OPEN_FILES, LIMITS.socketsOpen),
    allowedHosts: () => [...ours, ...app.gateway.offers.consoles],
    ownOrigins: () => [
      ...settings.allowedHosts.value.flatMap((name) => [`http://${name}`, `https://${name}`]),
      ...app.gateway.offers.consoles.map((name) => `https://${name}`),
    ],
    allowedOrigins: settings.allowedOrigins.value,
    runtime: settings.runtime?.value,
    bridge: settings.bridge?.value,
    mount: { settings: settings.mounts?.value, folder: join(settings.home.value, "mount") },
    // Beside the built file: dist/cli and dist/web.
    web: fileURLToPath(new URL("../web", import.meta.url)),
    describe: () => ({
      demo: app.gateway.providers.defaultId === "sim",
      default_provider: app.gateway.providers.defaultId,
      default_workspace: settings.workspace.value,
    }),
  });
  const names = ["127.0.0.1", "localhost", "[::1]", settings.host.value, ...settings.allowedHosts.value];
  ours = names.flatMap((name) => [name.toLowerCase(), `${name.toLowerCase()}:${server.port}`]);
  return server;
}

/** Lets people reach this machine's console through tunnels, and other machines' consoles through this one where the settings say so. */
async function openConsoles(
  { settings, clock = SYSTEM_CLOCK }: ServeOptions,
  { app, log, server }: Pick<SurfaceParts, "app" | "log"> & { readonly server: Listening },
): Promise<ConsoleRelay | undefined> {
  const { offers, tunnels } = app.gateway;
  const home = settings.home.value;
  const files = settings.consoleTls?.value;
  offers.serveConsole(openConsoleTls({ home, files, door: server.secure, now: () => clock.now(), log }));
  const place = settings.consoleRelay?.value;
  return place === undefined ? undefined : openConsoleRelay({ ...place, open: (id) => tunnels.openConsole(id), log });
}

/**
 * For the crash suite: `SALLYPORT_CRASH_AT=name` or `name:n` ends this process, as SIGKILL does, the first or n-th time
 * that it reaches the checkpoint. Without the variable nothing happens.
 */
function crashPoint(environment: Environment): (name: Checkpoint) => void {
  const wanted = environment["SALLYPORT_CRASH_AT"];
  if (wanted === undefined || wanted === "") return () => undefined;
  const [name, count = "1"] = wanted.split(":");
  if (!CHECKPOINTS.some((known) => known === name)) throw new Error(`SALLYPORT_CRASH_AT: there is no point ${name}`);
  let left = Number(count);
  return (reached) => {
    if (reached !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
}
