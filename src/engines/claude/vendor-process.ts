import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { LIMITS, type SessionSettings } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { OfferedToolServer, type RunOfferedTool } from "./offered-tools.ts";
import type { VendorTransport, ProcessListener, OpenTransport, ConversationStart } from "./transport.ts";
import type { OutputAllowance } from "./output.ts";
import { offerOf, toolName, type Offer } from "./tools.ts";
import { configFolder, leftTemporary, temporaryFolder } from "./transcripts.ts";

export interface VendorProcessMeans {
  readonly executable: string;
  /** How often a failed model request is retried. */
  readonly retries: number;
  /** For the output of all its processes. */
  readonly allowance: OutputAllowance;
  readonly open: OpenTransport;
}

export interface VendorProcessOptions {
  readonly host: Host;
  readonly settings: SessionSettings;
  readonly means: VendorProcessMeans;
  readonly listener: ProcessListener;
  readonly runOfferedTool: RunOfferedTool;
}

/** A process with what it was started with. */
interface ProcessConnection {
  readonly transport: VendorTransport;
  /** The model that it uses for its whole life. */
  readonly model: string;
  readonly offer: Offer;
  readonly servers: readonly OfferedToolServer[];
  readonly temporary: string;
}

/** The connection to the vendor's current process: at most one, and only that one is listened to. */
export class VendorProcess {
  readonly #options: VendorProcessOptions;
  #connection: ProcessConnection | undefined;
  #listener: ProcessListener | undefined;
  #closed = false;
  /** Resolves when the earlier processes have ended. */
  #gone: Promise<unknown> = Promise.resolve();

  constructor(options: VendorProcessOptions) {
    this.#options = options;
  }

  get transport(): VendorTransport | undefined {
    return this.#connection?.transport;
  }

  /** Whether the current process can take the next turn: it was started with what the session has now. */
  async fits(): Promise<boolean> {
    await this.#gone;
    const connection = this.#connection;
    if (connection === undefined) return false;
    const { host } = this.#options;
    if (connection.model === host.model.name && (await this.#has(connection, offerOf(host.toolbox)))) return true;
    this.drop();
    await this.#gone;
    return false;
  }

  /** A new process. Undefined when this was closed or dropped meanwhile. */
  async open(start: ConversationStart): Promise<VendorTransport | undefined> {
    const { host, settings, means, listener } = this.#options;
    await this.#gone;
    if (this.#closed) return undefined;
    await remove(host, leftTemporary(host.folder));
    const temporary = temporaryFolder(host.folder, randomUUID());
    for (const folder of [configFolder(host.folder), temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const mine = this.#onlyWhileConnected(listener);
    this.#listener = mine;
    const offer = offerOf(host.toolbox);
    const servers = this.#servers(offer, []);
    const { executable, retries, allowance } = means;
    const model = host.model.name;
    const launch = { executable, retries, host, settings, offer, servers, start, temporary, allowance };
    const transport = await means.open(launch, mine).catch(async (error: unknown) => {
      await remove(host, [temporary]);
      throw error;
    });
    this.#connection = { transport, model, offer, servers, temporary };
    if (this.#listener === mine) return transport;
    this.drop();
    return undefined;
  }

  /** Ends the process, whatever it is doing. */
  drop(): void {
    this.#leave((transport) => transport.kill());
  }

  /** Lets the process end by itself. Resolves when it has ended, one way or another. */
  async finish(): Promise<void> {
    this.#leave((transport) => transport.finish());
    await this.#gone.catch(() => undefined);
  }

  /** Resolves when nothing is left. */
  async close(): Promise<void> {
    this.#closed = true;
    this.drop();
    await this.#gone;
  }

  #leave(end: (transport: VendorTransport) => Promise<void>): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#listener = undefined;
    for (const server of connection?.servers ?? []) server.close();
    if (connection === undefined) return;
    const gone = end(connection.transport).then(() => remove(this.#options.host, [connection.temporary]));
    this.#gone = Promise.all([this.#gone, gone]);
  }

  #onlyWhileConnected(listener: ProcessListener): ProcessListener {
    const mine: ProcessListener = {
      heard: (said) => {
        if (this.#listener === mine) listener.heard(said);
      },
      noise: (line) => {
        if (this.#listener === mine) listener.noise(line);
      },
      permit: (call, signal) =>
        this.#listener === mine
          ? listener.permit({ ...call, tool: toolName(call.tool) }, signal)
          : Promise.resolve({ behavior: "deny", message: "The turn is over." }),
      drained: () => (this.#listener === mine ? listener.drained() : Promise.resolve()),
      ended: (end) => {
        if (this.#listener !== mine) return;
        // Its children may have outlived it.
        this.drop();
        listener.ended(end);
      },
    };
    return mine;
  }

  async #has(connection: ProcessConnection, offer: Offer): Promise<boolean> {
    if (same(offer, connection.offer)) return true;
    // Kinds of sub-agents have their tools from the start.
    const kinds = Object.values(this.#options.settings.agents ?? {});
    if (!same(offer.tools, connection.offer.tools) || kinds.some(({ tools }) => tools !== undefined)) return false;
    return this.#setServers(connection, offer);
  }

  /** Our tools come and go while the process lives. False if it would not take them. */
  async #setServers(connection: ProcessConnection, offer: Offer): Promise<boolean> {
    const servers = this.#servers(offer, connection.servers);
    const changed = servers.filter((server) => !connection.servers.includes(server)).map(({ name }) => name);
    const over = new AbortController();
    const late = this.#options.host.sleep(LIMITS.engineExitMs, over.signal).then(() => false);
    const done = connection.transport.setServers(servers, changed).then(
      () => true,
      () => false,
    );
    const offered = await Promise.race([done, late]);
    over.abort("over");
    if (!offered || this.#connection !== connection) return false;
    this.#connection = { ...connection, offer, servers };
    return true;
  }

  /** Servers by their names in the tools' names; unchanged ones stay the same objects. */
  #servers(offer: Offer, known: readonly OfferedToolServer[]): readonly OfferedToolServer[] {
    const names = [...new Set(offer.offered.map(({ server }) => server))];
    return names.map((name) => {
      const tools = offer.offered.filter(({ server }) => server === name);
      const before = known.find((server) => server.name === name && same(server.tools, tools));
      return before ?? new OfferedToolServer(name, tools, this.#options.runOfferedTool);
    });
  }
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Behind a wall this is done there: a program could swap a folder for a link while it is emptied from here. */
async function remove({ sandbox, folder }: Host, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  if (sandbox.kind === "local") {
    await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
    return;
  }
  const request = { argv: ["rm", "-rf", "--", ...paths] as const, cwd: configFolder(folder) };
  // One that is closed is emptied when it is opened again.
  const running = await sandbox.open(request).catch(() => undefined);
  for (const output of [running?.stdout, running?.stderr]) output?.resume();
  running?.stdin.end();
  await running?.exit;
}
