import { isAbsolute } from "node:path";
import { LIMITS, outputText, type ToolItem } from "../../protocol/index.ts";
import type { EngineEvent, Host } from "../engine.ts";
import { list, record, text, type VendorFields } from "../vendor/fields.ts";
import type { TurnCalls } from "./calls.ts";
import { RPC, RpcError } from "./connection.ts";
import type { OwnCalls } from "./own-calls.ts";
import type { NamedCall } from "./tool-names.ts";

interface ClientRequestsOptions {
  readonly host: Host;
  readonly workspace: string;
  readonly calls: TurnCalls;
  readonly own: OwnCalls;
  readonly before: () => readonly EngineEvent[];
}

/** A command of ours that an agent looks at as a terminal. */
interface Terminal {
  readonly ended: Promise<VendorFields>;
  readonly stop: AbortController;
  output: string;
  isCut: boolean;
  exit?: VendorFields | undefined;
}

/** Line numbers that our Read puts before each line. */
const NUMBERED = /^ *\d+[→\t]/gm;

/**
 * Files and terminals that an agent asks its client for: each is a call of our own tools, with its own question. One that was approved as
 * the agent's own call, with exactly this input, is that call, and is not asked about again.
 */
export class ClientRequests {
  readonly #options: ClientRequestsOptions;
  readonly #terminals = new Map<string, Terminal>();

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
  }

  /** Undefined: it is no request of this kind. */
  answer(method: string, params: VendorFields): Promise<VendorFields> | undefined {
    switch (method) {
      case "fs/read_text_file":
        return this.#read(params);
      case "fs/write_text_file":
        return this.#write(params);
      case "terminal/create":
        return this.#create(params);
      case "terminal/output":
        return Promise.resolve(shown(this.#terminal(params)));
      case "terminal/wait_for_exit":
        return this.#terminal(params).ended;
      case "terminal/kill":
        return this.#kill(params);
      case "terminal/release":
        return this.#release(params);
      default:
        return undefined;
    }
  }

  close(): void {
    for (const { stop } of this.#terminals.values()) stop.abort();
    this.#terminals.clear();
  }

  async #read(params: VendorFields): Promise<VendorFields> {
    const { line, limit } = params;
    const input = {
      file_path: pathOf(params),
      ...(typeof line === "number" ? { offset: line } : {}),
      ...(typeof limit === "number" ? { limit } : {}),
    };
    const content = await this.#perform({ tool: "Read", input });
    return { content: content.replaceAll(NUMBERED, "") };
  }

  async #write(params: VendorFields): Promise<VendorFields> {
    const { content } = params;
    if (typeof content !== "string") throw new RpcError(RPC.invalid, "content must be a text");
    await this.#perform({ tool: "Write", input: { file_path: pathOf(params), content } });
    return {};
  }

  async #perform(call: NamedCall): Promise<string> {
    const { calls, own, before } = this.#options;
    const item = own.claim(call);
    const result =
      item === undefined
        ? await calls.perform(call, before(), new AbortController().signal)
        : await calls.run(item, item.input);
    const words = outputText(result.content);
    if (result.is_error) throw new RpcError(RPC.internal, words);
    return words;
  }

  async #create(params: VendorFields): Promise<VendorFields> {
    const { calls, own, before, host } = this.#options;
    if (this.#terminals.size >= LIMITS.agentTerminals)
      throw new RpcError(RPC.internal, `there are ${LIMITS.agentTerminals} terminals; release one first`);
    const call = { tool: "Bash", input: { command: this.#command(params) } };
    const claimed = own.claim(call);
    const item = claimed ?? (await calls.begin(call, before()));
    const verdict = claimed === undefined ? await calls.ask(item) : ({ effect: "allow", input: item.input } as const);
    if (verdict.effect === "deny") {
      calls.refuse(item, verdict);
      throw new RpcError(RPC.internal, verdict.message);
    }
    const terminalId = host.newId("item");
    this.#terminals.set(terminalId, this.#run(item, verdict.input));
    return { terminalId };
  }

  #run(item: ToolItem, input: ToolItem["input"]): Terminal {
    const stop = new AbortController();
    const add = (delta: string): void => {
      const whole = terminal.output + delta;
      terminal.isCut ||= whole.length > LIMITS.agentTerminalChars;
      terminal.output = whole.slice(-LIMITS.agentTerminalChars);
    };
    const ended = this.#options.calls.run(item, input, { signal: stop.signal, onOutput: add }).then((result) => {
      // Some agents give the reason only at the end.
      if (terminal.output === "") add(outputText(result.content));
      const exit = { exitCode: result.exit_code ?? null, signal: stop.signal.aborted ? "SIGTERM" : null };
      terminal.exit = exit;
      return exit;
    });
    const terminal: Terminal = { ended, stop, output: "", isCut: false };
    return terminal;
  }

  async #kill(params: VendorFields): Promise<VendorFields> {
    const { stop, ended } = this.#terminal(params);
    stop.abort();
    await ended;
    return {};
  }

  async #release(params: VendorFields): Promise<VendorFields> {
    const { stop } = this.#terminal(params);
    stop.abort();
    this.#terminals.delete(text(params["terminalId"]) ?? "");
    return {};
  }

  #terminal(params: VendorFields): Terminal {
    const terminal = this.#terminals.get(text(params["terminalId"]) ?? "");
    if (terminal === undefined) throw new RpcError(RPC.invalid, "there is no such terminal");
    return terminal;
  }

  /** As one line for bash, each word quoted. */
  #command(params: VendorFields): string {
    const command = text(params["command"]);
    if (command === undefined) throw new RpcError(RPC.invalid, "command is missing");
    const words = list(params["args"]).map((word) => quoted(plainText(word)));
    const variables = list(params["env"]).map((each) => {
      const { name, value } = record(each);
      if (typeof name !== "string" || !/^[A-Za-z_]\w*$/.test(name))
        throw new RpcError(RPC.invalid, "a variable's name is not valid");
      return `${name}=${quoted(plainText(value))}`;
    });
    // Without arguments it may be a whole command line.
    const line =
      words.length === 0 && variables.length === 0 ? command : [...variables, quoted(command), ...words].join(" ");
    const cwd = text(params["cwd"]);
    return cwd === undefined || cwd === this.#options.workspace ? line : `cd ${quoted(cwd)} && ${line}`;
  }
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new RpcError(RPC.invalid, "words and values must be texts");
}

function shown({ output, isCut, exit }: Terminal): VendorFields {
  return { output, truncated: isCut, ...(exit === undefined ? {} : { exitStatus: exit }) };
}

function pathOf(params: VendorFields): string {
  const path = text(params["path"]);
  if (path === undefined || !isAbsolute(path)) throw new RpcError(RPC.invalid, "path must be absolute");
  return path;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
