import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { EXECUTABLE } from "../../engines/claude/world.ts";
import { ownPort } from "../port.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../server.ts";
import { Mind, MIND_KEY, mindSettings } from "./mind.ts";
import { isVendor, markedProcesses, signal, type Marked } from "./processes.ts";

/** The real server with the model of these tests, whose provider's key is in a file. */
export interface VendorApp {
  readonly place: Place;
  readonly mind: Mind;
  readonly server: ServerProcess;
  /** The model proxy's two doors. */
  readonly doors: readonly [{ readonly socketPath: string }, { readonly port: number }];
  /** Stops the server and starts it again on the same home. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openVendorApp(environment: Readonly<Record<string, string>> = {}): Promise<VendorApp> {
  const place = await makePlace();
  const mind = await Mind.open();
  await mkdir(place.home);
  await writeFile(join(place.home, "..", "mind.key"), `${MIND_KEY}\n`, { mode: 0o600 });
  await writeFile(
    join(place.home, "sallyport.yaml"),
    mindSettings(mind, { credential_file: join(place.home, "..", "mind.key") }),
  );
  const port = await ownPort();
  const start = (): Promise<ServerProcess> =>
    startServer(place, { SALLYPORT_CLAUDE: EXECUTABLE, SALLYPORT_PROXY_PORT: String(port), ...environment });
  let server = await start();
  return {
    place,
    mind,
    get server() {
      return server;
    },
    doors: [{ socketPath: join(place.home, "model.sock") }, { port }],
    restart: async () => {
      await server.stop();
      server = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await endServer(server, place);
      await mind.close();
      await place.remove();
    },
  };
}

const STOP_MS = 10_000;

/** Stops a server, and by force what does not stop: nothing of it goes on. */
export async function endServer(server: ServerProcess, place: Place): Promise<void> {
  const over = new AbortController();
  const late = pause(STOP_MS, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([server.stop(), late]);
  over.abort();
  await server.kill();
  for (const { pid } of markedProcesses(place)) signal(pid, "SIGKILL");
}

const APPEAR_MS = 30_000;

/** The vendor's process that is made ready for a session that nobody has begun. */
export async function warmProcess(place: Place, engine: string): Promise<Marked> {
  for (const begun = Date.now(); Date.now() - begun < APPEAR_MS;) {
    const found = markedProcesses(place).find((entry) => isVendor(entry) && engineOf(entry) === engine);
    if (found !== undefined) return found;
    await pause(10);
  }
  throw new Error("no process was made ready");
}

/** Undefined: it is only asked for its version. */
function engineOf({ words }: Marked): string | undefined {
  if (words.includes("--version")) return undefined;
  return words.includes("-p") ? "claude-cli" : "claude-sdk";
}

export function keyOf({ environment }: Marked): string {
  return environment["ANTHROPIC_AUTH_TOKEN"] ?? "";
}
