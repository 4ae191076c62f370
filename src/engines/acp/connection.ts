import { LIMITS } from "../../protocol/index.ts";
import type { Piped } from "../../sandbox/sandbox.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";
import type { ToolLine } from "../vendor/launch.ts";
import { ProcessOutput, type OutputAllowance, type ProcessEnd } from "../vendor/output.ts";

/** JSON-RPC's own codes. */
export const RPC = { unknownMethod: -32_601, invalid: -32_602, internal: -32_603, authRequired: -32_000 } as const;

/** An error that the agent answered with, or that it is answered with. */
export class RpcError extends Error {
  readonly code: number;
  /** The error's `data`. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The process ended before it answered. */
export class AgentGone extends Error {}

/** What a connection reports to its owner. */
export interface AgentListener {
  /** A request of the agent. What it throws as `RpcError` is the answer. */
  requested(method: string, params: VendorFields): Promise<VendorFields>;
  notified(method: string, params: VendorFields): void;
  /** A line of one of the agent's tool servers. */
  toolLine(line: ToolLine): void;
  /** A line that is not a message. */
  noise(line: string): void;
  /** Resolves when everything that was told has been taken. */
  drained(): Promise<unknown>;
  ended(end: ProcessEnd): void;
}

interface Waiting {
  readonly resolve: (result: VendorFields) => void;
  readonly reject: (error: Error) => void;
}

/** JSON-RPC with one process, both ways, with bounded memory. */
export class AgentConnection {
  readonly #process: Piped;
  readonly #listener: AgentListener;
  readonly #output: ProcessOutput;
  readonly #waiting = new Map<number, Waiting>();
  readonly #reading: Promise<void>;
  #count = 0;
  /** Requests of the agent that have no answer yet. */
  #open = 0;
  #hasEnded = false;

  constructor(process: Piped, listener: AgentListener, allowance: OutputAllowance) {
    this.#process = process;
    this.#listener = listener;
    this.#output = new ProcessOutput(process, {
      allowance,
      isMessage: (fields) => "jsonrpc" in fields || "sallyport" in fields,
      onMessage: (message) => this.#take(message),
      onNoise: (line) => listener.noise(line),
      drained: () => listener.drained(),
    });
    this.#reading = this.#output.end.then((end) => this.#end(end));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** A turn begins: its output is counted from zero. */
  begin(): void {
    this.#output.begin();
  }

  /** Rejects with `RpcError`, or with `AgentGone`. */
  request(method: string, params: VendorFields): Promise<VendorFields> {
    if (this.#hasEnded) return Promise.reject(new AgentGone("the agent's process has ended"));
    const id = (this.#count += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method: string, params: VendorFields): void {
    this.#write({ jsonrpc: "2.0", method, params });
  }

  /** A message of the agent could not be handled: the process is ended. */
  fail(error: unknown): void {
    this.#output.fail(error);
  }

  toTool(line: ToolLine): void {
    this.#write({ ...line });
  }

  /** Ends the process, whatever it is doing: some agents ignore SIGTERM. */
  async kill(): Promise<void> {
    await this.#process.kill({ graceMs: LIMITS.engineKillMs });
    await this.#reading;
  }

  #write(message: VendorFields): void {
    if (!this.#hasEnded) this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: VendorFields): void {
    const { id, method } = message;
    if (message["sallyport"] === "tools") this.#listener.toolLine(message as unknown as ToolLine);
    else if (typeof method !== "string") this.#answered(message);
    else if (id === undefined || id === null) this.#listener.notified(method, record(message["params"]));
    else this.#answer(id, method, record(message["params"])).catch((error: unknown) => this.fail(error));
  }

  /** An answer to a request that was never made is ignored. */
  #answered(message: VendorFields): void {
    const id = message["id"];
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (waiting === undefined || typeof id !== "number") return;
    this.#waiting.delete(id);
    if (message["error"] === undefined) return waiting.resolve(record(message["result"]));
    const error = record(message["error"]);
    const code = typeof error["code"] === "number" ? error["code"] : RPC.internal;
    waiting.reject(new RpcError(code, text(error["message"]) ?? "an error without words", error["data"]));
  }

  async #answer(id: unknown, method: string, params: VendorFields): Promise<void> {
    const reply = (rest: VendorFields): void => this.#write({ jsonrpc: "2.0", id, ...rest });
    if (this.#open >= LIMITS.agentRequests) {
      reply({
        error: { code: RPC.internal, message: `${LIMITS.agentRequests} requests are open; wait for an answer` },
      });
      return;
    }
    this.#open += 1;
    try {
      reply({ result: await this.#listener.requested(method, params) });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      reply({ error: { code: error.code, message: error.message } });
    } finally {
      this.#open -= 1;
    }
  }

  #end(end: ProcessEnd): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.values()) reject(new AgentGone("the agent's process has ended"));
    this.#waiting.clear();
    this.#listener.ended(end);
  }
}
