// Runs beside OpenCode's server, inside the session's sandbox: the server speaks HTTP on a loopback that may be the sandbox's own, and
// all that reaches in there is a pair of pipes. It passes on requests, events and tool calls, one JSON object in each line. It may import
// nothing but Node and what `relayFiles` names.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { openPort } from "../../sandbox/remote/forward.ts";
import { MODEL_ADDRESS, RELAY_ADDRESS, type RelayRequest, type RelayStart } from "./relay-messages.ts";

const LISTENING = /listening on http:\/\/127\.0\.0\.1:(\d+)/;
const USER = "opencode";
const SECRET_BYTES = 24;
const EVENT = /^data: ?(.*)$/;

const tell = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** The whole text of a message; undefined: it is too long. */
async function read(from: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of from) {
    length += chunk.length;
    if (length > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Not `node:readline`, which also splits at characters other than a line feed that occur in people's text. */
function eachLine(from: Readable, take: (line: string) => void): void {
  let pieces: string[] = [];
  from.setEncoding("utf8");
  from.on("data", (chunk: string) => {
    const [first = "", ...rest] = chunk.split("\n");
    pieces.push(first);
    for (const piece of rest) {
      take(pieces.join(""));
      pieces = [piece];
    }
  });
}

class ServerRelay {
  readonly #start: RelayStart;
  /** Tool calls of OpenCode that wait for their results. */
  readonly #waiting = new Map<number, (message: unknown) => void>();
  readonly #secret = randomBytes(SECRET_BYTES).toString("hex");
  #calls = 0;
  #port = 0;
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(start: RelayStart) {
    this.#start = start;
  }

  async run(): Promise<void> {
    const inner = createServer((asked, answer) => void this.#take(asked, answer).catch(() => answer.destroy()));
    // A person may take long to answer.
    inner.requestTimeout = 0;
    await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve));
    const { port } = inner.address() as AddressInfo;
    const { executable, environment, config, password, files, folder, modelSocket } = this.#start;
    const model = modelSocket === undefined ? undefined : await openPort({ port: 0, socket: modelSocket });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path, text } of files) writeFileSync(path, text, { mode: 0o600 });
    const child = spawn(executable, this.#start.arguments, {
      cwd: folder,
      env: {
        ...process.env,
        ...environment,
        OPENCODE_SERVER_PASSWORD: password,
        OPENCODE_CONFIG_CONTENT: config
          .replaceAll(RELAY_ADDRESS, `http://127.0.0.1:${port}/${this.#secret}`)
          .replaceAll(MODEL_ADDRESS, `http://127.0.0.1:${model?.port}`),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    process.on("SIGTERM", () => this.stop());
    const ended = (code: number): void => {
      this.#isOver = true;
      model?.server.close();
      inner.closeAllConnections();
      process.exitCode = code;
      process.stdin.destroy();
      inner.close();
    };
    child.once("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      ended(1);
    });
    child.once("exit", (code, signal) => {
      tell({ type: "exit", code, signal });
      ended(code ?? 1);
    });
    this.#awaitListening(child);
  }

  #awaitListening(child: ChildProcess): void {
    let said = "";
    child.stdout?.setEncoding("utf8");
    child.stdout?.on("data", (chunk: string) => {
      if (this.#port !== 0) return;
      said = (said + chunk).slice(-this.#start.messageBytes);
      const port = LISTENING.exec(said)?.[1];
      if (port === undefined) return;
      this.#port = Number(port);
      this.#follow(0);
    });
  }

  /** Ends OpenCode, and with it the relay. */
  stop(): void {
    this.#isOver = true;
    this.#child?.kill("SIGTERM");
  }

  /** A message of the engine. */
  take(message: RelayRequest): void {
    if (message.type === "answer") {
      const answer = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      answer?.(message.message);
      return;
    }
    const { id, method, path, body } = message;
    const failed = (error: Error): void => tell({ type: "response", id, status: 0, body: error.message });
    const asking = request(this.#address(method, path), (response) => {
      read(response, this.#start.messageBytes).then((text) => {
        const status = text === undefined ? 0 : (response.statusCode ?? 0);
        tell({ type: "response", id, status, body: text ?? "The answer is too long." });
      }, failed);
    });
    asking.once("error", failed);
    asking.end(body);
  }

  #address(method: string, path: string): object {
    const { password } = this.#start;
    return {
      host: "127.0.0.1",
      port: this.#port,
      method,
      path,
      auth: `${USER}:${password}`,
      headers: { "content-type": "application/json" },
    };
  }

  /** Reads the stream of events. The first event of each stream says that nothing is missed from here on. */
  #follow(attempt: number): void {
    const asking = request(this.#address("GET", "/event"), (response) => {
      eachLine(response, (line) => {
        const data = EVENT.exec(line)?.[1];
        if (data !== undefined) process.stdout.write(`{"type":"event","event":${data}}\n`);
      });
      response.once("close", () => this.#again(attempt));
      response.once("error", () => undefined);
    });
    asking.once("error", () => this.#again(attempt));
    asking.end();
  }

  #again(attempt: number): void {
    if (this.#isOver) return;
    if (attempt < this.#start.reconnects) this.#follow(attempt + 1);
    else {
      process.stderr.write("The stream of OpenCode's events broke off.\n");
      this.stop();
    }
  }

  async #take(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (asked.url !== `/${this.#secret}/mcp`) {
      answer.writeHead(404).end();
      return;
    }
    if (asked.method !== "POST") {
      answer.writeHead(405).end();
      return;
    }
    const text = await read(asked, this.#start.messageBytes);
    if (text === undefined) answer.writeHead(413).end();
    else this.#call(JSON.parse(text), answer);
  }

  #call(message: { readonly id?: unknown }, answer: ServerResponse): void {
    this.#calls += 1;
    const id = this.#calls;
    if (message.id === undefined) {
      tell({ type: "mcp", id, message });
      answer.writeHead(202).end();
      return;
    }
    answer.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    answer.flushHeaders();
    const alive = setInterval(() => answer.write(": waiting\n\n"), this.#start.keepAliveMs);
    this.#waiting.set(id, (result) => answer.end(`event: message\ndata: ${JSON.stringify(result)}\n\n`));
    answer.once("close", () => {
      clearInterval(alive);
      // Nobody waits for the result any more.
      if (this.#waiting.delete(id)) tell({ type: "mcp_closed", id });
    });
    tell({ type: "mcp", id, message });
  }
}

// Node would open a debugger, through which any program inside could speak for this one.
process.on("SIGUSR1", () => undefined);
let relay: ServerRelay | undefined;
eachLine(process.stdin, (line) => {
  const message = JSON.parse(line) as RelayStart | RelayRequest;
  if (message.type !== "start") relay?.take(message);
  else {
    relay = new ServerRelay(message);
    void relay.run();
  }
});
// The server is gone, or wants no more: OpenCode must not outlive it.
process.stdin.once("end", () => relay?.stop());
