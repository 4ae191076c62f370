import { LIMITS } from "../../protocol/index.ts";
import type { Piped } from "../../sandbox/sandbox.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";
import { ProcessOutput, type OutputAllowance, type ProcessEnd } from "../vendor/output.ts";
import { readNotice, readQuestion, type CodexNotice, type CodexQuestion } from "./wire.ts";

/** JSON-RPC's code for a method that there is not. */
const UNKNOWN_METHOD = -32_601;

/** Codex answered a request with an error. */
class CodexRefusal extends Error {}

/** The process ended before it answered. */
export class CodexGone extends Error {
  readonly end: ProcessEnd;

  constructor(end: ProcessEnd) {
    super("the process has ended");
    this.end = end;
  }
}

/** Answers one question of Codex, at most once. */
export type AnswerQuestion = (result: VendorFields) => void;

/** Receives everything from a process. */
export interface CodexListener {
  heard(notice: CodexNotice): void;
  asked(question: Extract<CodexQuestion, { type: "call" }>, answer: AnswerQuestion): void;
  /** Codex wanted to do something by itself, and was refused. */
  refused(method: string): void;
  /** A line that is not a message. */
  noise(line: string): void;
  /** Resolves when the session has taken everything received so far. */
  drained(): Promise<void>;
  /** Nothing more comes. */
  ended(end: ProcessEnd): void;
}

interface PendingRequest {
  resolve(result: VendorFields): void;
  reject(error: Error): void;
}

/** The protocol of `codex app-server`: JSON-RPC without its version, one message on each line. */
export class CodexConnection {
  readonly #process: Piped;
  readonly #output: ProcessOutput;
  readonly #listener: CodexListener;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #reading: Promise<void>;
  #requests = 0;
  #gone: CodexGone | undefined;

  constructor(process: Piped, options: { readonly allowance: OutputAllowance; readonly listener: CodexListener }) {
    const { allowance, listener } = options;
    this.#process = process;
    this.#listener = listener;
    // A process that died breaks the pipe: its end is reported below.
    process.stdin.on("error", () => undefined);
    this.#output = new ProcessOutput(process, {
      allowance,
      isMessage: (fields) => "id" in fields || "method" in fields,
      onMessage: (message) => this.#take(message),
      onNoise: (line) => listener.noise(line),
      drained: () => listener.drained(),
    });
    this.#reading = this.#output.end.then((end) => this.#end(end));
  }

  /** A turn begins: its output is counted from zero. */
  begin(): void {
    this.#output.begin();
  }

  /** Resolves with the answer. Rejects with CodexRefusal; with CodexGone when the process ends first. */
  request(method: string, params: VendorFields): Promise<VendorFields> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    this.#requests += 1;
    const id = this.#requests;
    const answer = new Promise<VendorFields>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#line({ id, method, params });
    return answer;
  }

  notify(method: string): void {
    this.#line({ method });
  }

  /** Ends the process, whatever it is doing. Resolves when it and its children are gone. */
  async kill(): Promise<void> {
    this.#process.stdin.end();
    await this.#process.kill({ graceMs: LIMITS.engineKillMs });
    await this.#reading;
  }

  #take(message: VendorFields): void {
    const { id, method } = message;
    const name = text(method);
    if (name === undefined) this.#settle(message);
    else if (id === undefined) this.#listener.heard(readNotice(name, record(message["params"])));
    else this.#question(id, readQuestion(name, record(message["params"])));
  }

  #question(id: unknown, question: CodexQuestion): void {
    switch (question.type) {
      case "call": {
        let isAnswered = false;
        this.#listener.asked(question, (result) => {
          if (isAnswered) return;
          isAnswered = true;
          this.#line({ id, result });
        });
        return;
      }
      case "own_action":
        this.#line({ id, result: question.answer });
        this.#listener.refused(question.method);
        return;
      case "unknown":
        this.#line({ id, error: { code: UNKNOWN_METHOD, message: `unsupported request ${question.method}` } });
    }
  }

  #settle(message: VendorFields): void {
    const { id } = message;
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (typeof id === "number") this.#pending.delete(id);
    const error = message["error"];
    if (error === undefined) pending?.resolve(record(message["result"]));
    else pending?.reject(new CodexRefusal(text(record(error)["message"]) ?? "refused"));
  }

  #end(end: ProcessEnd): void {
    this.#gone = new CodexGone(end);
    for (const pending of this.#pending.values()) pending.reject(this.#gone);
    this.#pending.clear();
    this.#listener.ended(end);
  }

  #line(message: object): void {
    if (this.#process.stdin.writable) this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }
}
