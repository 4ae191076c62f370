import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { Failure, LIMITS, type SessionSettings } from "../../protocol/index.ts";
import type { Piped } from "../../sandbox/sandbox.ts";
import type { Host } from "../engine.ts";
import { count, parsedJson, text, type VendorFields } from "../vendor/fields.ts";
import { FORWARD_FILE } from "../vendor/launch.ts";
import { ProcessOutput, type OutputAllowance, type ProcessEnd } from "../vendor/output.ts";
import { configOf, environmentOf, modelsFile, modelSocket, recordFolder, workFolder } from "./config.ts";
import type { RelayRequest, RelayStart } from "./relay-messages.ts";
import { readEvent, type OpenCodeEvent } from "./wire.ts";

const RELAY = fileURLToPath(new URL("./relay.js", import.meta.url));
const PASSWORD_BYTES = 24;

/** What runs beside OpenCode inside a sandbox: Node, the relay, and nothing else of this package. */
export const RELAY_FILES: readonly string[] = [
  process.execPath,
  ...["./relay.js", "./relay-messages.js"].map((path) => fileURLToPath(new URL(path, import.meta.url))),
  FORWARD_FILE,
];

/** Receives everything from a process. */
export interface ServerListener {
  heard(event: OpenCodeEvent): void;
  /** Its stream of events broke off and goes on: some may be missing. */
  missed(): void;
  /** A message to our tools; undefined: it gets no answer. */
  mcp(message: unknown): Promise<VendorFields | undefined>;
  /** Resolves when the session has taken everything received so far. */
  drained(): Promise<void>;
  /** Nothing more comes. */
  ended(end: ProcessEnd): void;
}

export interface ServerLaunch {
  readonly executable: string;
  readonly host: Host;
  readonly settings: SessionSettings;
  /** For its output; shared by all processes of the engine. */
  readonly allowance: OutputAllowance;
}

/** An answer of OpenCode's server. `status` 0: there was none. */
export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A running server of OpenCode, with its relay. */
export class OpenCodeServer {
  readonly #process: Piped;
  readonly #listener: ServerListener;
  readonly #pending = new Map<number, (answer: ServerAnswer) => void>();
  readonly #reading: Promise<void>;
  readonly #output: ProcessOutput;
  #requests = 0;
  #connected = false;
  #ended = false;
  #onReady: () => void = () => undefined;
  /** Resolves when it listens and its events are followed; never if it ends before. */
  readonly ready: Promise<void>;

  private constructor(process: Piped, { allowance }: ServerLaunch, listener: ServerListener) {
    this.#process = process;
    this.#listener = listener;
    this.ready = new Promise((resolve) => {
      this.#onReady = resolve;
    });
    process.stdin.on("error", () => undefined);
    this.#output = new ProcessOutput(process, {
      allowance,
      onMessage: (message) => this.#take(message),
      onNoise: () => undefined,
      drained: () => listener.drained(),
    });
    this.#reading = this.#output.end.then((end) => {
      this.#ended = true;
      for (const answer of this.#pending.values()) answer({ status: 0, body: "" });
      this.#pending.clear();
      listener.ended(end);
    });
  }

  static async start(launch: ServerLaunch, listener: ServerListener): Promise<OpenCodeServer> {
    const { host, settings, executable } = launch;
    mkdirSync(recordFolder(host.folder), { recursive: true, mode: 0o700 });
    const process_ = await host.sandbox.open({ argv: [process.execPath, RELAY], cwd: settings.workspace });
    const server = new OpenCodeServer(process_, launch, listener);
    const start: RelayStart = {
      type: "start",
      executable,
      arguments: ["serve", "--hostname", "127.0.0.1", "--port", "0", "--print-logs", "--log-level", "ERROR"],
      config: configOf(host, settings),
      environment: environmentOf(host.folder, settings),
      folder: workFolder(host.folder),
      files: [{ path: modelsFile(host.folder), text: "{}" }],
      password: randomBytes(PASSWORD_BYTES).toString("hex"),
      modelSocket: modelSocket(host.model),
      keepAliveMs: LIMITS.engineKeepAliveMs,
      messageBytes: LIMITS.engineLineBytes,
      reconnects: LIMITS.engineReconnects,
    };
    server.#write(start);
    return server;
  }

  /** A turn begins: its output is counted from zero. */
  begin(): void {
    this.#output.begin();
  }

  /** Never rejects: an answer that does not come in time has the status 0. */
  async request(method: string, path: string, body?: object): Promise<ServerAnswer> {
    if (this.#ended) return { status: 0, body: "" };
    this.#requests += 1;
    const id = this.#requests;
    const answer = new Promise<ServerAnswer>((resolve) => this.#pending.set(id, resolve));
    this.#write({ type: "request", id, method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const over = new AbortController();
    const late = pause(LIMITS.engineRequestMs, undefined, { signal: over.signal, ref: false }).then(
      (): ServerAnswer => ({ status: 0, body: "it did not answer in time" }),
      (): ServerAnswer => ({ status: 0, body: "" }),
    );
    const first = await Promise.race([answer, late]);
    over.abort();
    this.#pending.delete(id);
    return first;
  }

  /** The same where only success will do. */
  async demand(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.request(method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    const said = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    const why = said === "" ? "it has ended" : said.slice(0, LIMITS.engineNoticeChars);
    throw new Failure("engine_failed", `OpenCode did not do what it was asked (${method} ${path}): ${why}`);
  }

  /** Ends it. Resolves when it and its children are gone. */
  async kill(): Promise<void> {
    this.#process.stdin.end();
    await this.#process.kill({ graceMs: LIMITS.engineKillMs });
    await this.#reading;
  }

  #write(message: RelayStart | RelayRequest): void {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: VendorFields): void {
    switch (message["type"]) {
      case "event":
        this.#event(readEvent(message["event"]));
        return;
      case "response": {
        const status = count(message["status"]) ?? 0;
        const body = text(message["body"]) ?? "";
        this.#pending.get(count(message["id"]) ?? 0)?.({ status, body: parsedJson(body) ?? body });
        return;
      }
      case "mcp":
        this.#answer(count(message["id"]) ?? 0, message["message"]).catch((error: unknown) => this.#output.fail(error));
        return;
      default:
      // The end of the process says the rest.
    }
  }

  #event(event: OpenCodeEvent): void {
    if (event.type !== "connected") this.#listener.heard(event);
    else if (this.#connected) this.#listener.missed();
    else {
      this.#connected = true;
      this.#onReady();
    }
  }

  async #answer(id: number, message: unknown): Promise<void> {
    const answer = await this.#listener.mcp(message);
    if (answer !== undefined && !this.#ended) this.#write({ type: "answer", id, message: answer });
  }
}
