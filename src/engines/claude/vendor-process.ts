import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { LIMITS, type SessionSettings } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { OfferedToolServer, type RunOfferedTool } from "./offered-tools.ts";
import { joinProcess } from "./stdio-transport.ts";
import type {
  VendorTransport,
  ProcessListener,
  ProcessNote,
  OpenTransport,
  ConversationStart,
  Launch,
} from "./transport.ts";
import type { OutputAllowance } from "../vendor/output.ts";
import { removeWritten } from "../vendor/remove.ts";
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

/** Told before a process that a dead server left says anything. */
type BeforeReplay = (salt: string) => void;

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
    const { host, means } = this.#options;
    await this.#gone;
    if (this.#closed) return undefined;
    await remove(host, leftTemporary(host.folder));
    const temporary = temporaryFolder(host.folder, randomUUID());
    for (const folder of [configFolder(host.folder), temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    return this.#connect(means.open, { start, temporary, model: host.model.name, salt: randomUUID() }).catch(
      async (error: unknown) => {
        await remove(host, [temporary]);
        throw error;
      },
    );
  }

  /** The process of the open turn that a dead server left; its output comes again from the turn's beginning. Undefined: there is none. */
  async takeUp(session: string, before: BeforeReplay): Promise<VendorTransport | undefined> {
    const left = await this.#options.host.sandbox.takeUp?.();
    if (left?.held?.left === undefined) return undefined;
    const note = JSON.parse(left.held.left.note) as ProcessNote;
    before(note.salt);
    // A vendor's SDK can only begin a process, not join one.
    const join: OpenTransport = async (launch, listener) => joinProcess(left, launch, listener);
    return this.#connect(join, { ...note, start: { type: "resume", session } });
  }

  async #connect(
    open: OpenTransport,
    begun: ProcessNote & Pick<Launch, "start">,
  ): Promise<VendorTransport | undefined> {
    const { host, settings, means, listener } = this.#options;
    const mine = this.#onlyWhileConnected(listener);
    this.#listener = mine;
    const offer = offerOf(host.toolbox);
    const servers = this.#servers(offer, []);
    const { executable, allowance } = means;
    const retries = host.sandbox.holds === true ? Math.max(means.retries, LIMITS.heldModelRetries) : means.retries;
    const { model, temporary, ...rest } = begun;
    const findServer: Launch["findServer"] = (name) =>
      this.#servers(offerOf(host.toolbox), servers).find((server) => server.name === name) ??
      OfferedToolServer.awaited(name, this.#options.runOfferedTool);
    const launch = { executable, retries, host, settings, offer, servers, findServer, allowance, temporary, ...rest };
    const transport = await open(launch, mine);
    this.#connection = { transport, model, offer, servers, temporary };
    if (this.#listener === mine) return transport;
    this.drop();
    return undefined;
  }

  /** The process belongs to the next server. */
  leave(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#listener = undefined;
    for (const server of connection?.servers ?? []) server.close();
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
      recall: (call, verdict) => {
        if (this.#listener === mine) listener.recall({ ...call, tool: toolName(call.tool) }, verdict);
      },
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

function remove(host: Host, paths: readonly string[]): Promise<void> {
  return removeWritten(host, { paths, cwd: configFolder(host.folder) });
}
