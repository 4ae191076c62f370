/**
 * Runs beside a vendor's program, inside the session's sandbox. It may import nothing but Node and what `LAUNCHER_FILES` names.
 *
 * `launch`: starts the program and gives it a plain `http://127.0.0.1:…` address of the model proxy, whose socket it forwards to. The
 * program's lines pass through it, and between them those of its tool servers. `relay <file>`: a tool server of the program; it forwards
 * its lines to the launcher that the file names.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { openPort } from "../../sandbox/remote/forward.ts";
import type { LaunchOptions, ToolLine } from "./launch.ts";

const HOST = "127.0.0.1";
const OPTIONS = "SALLYPORT_LAUNCH";
const NEWLINE = 0x0a;

interface LineOptions {
  readonly maxBytes: number;
  readonly onLine: (line: Buffer) => void;
  readonly onTooLong: () => void;
}

/** Whole lines with their newlines; the last one may have none. */
function readLines(input: Readable, { maxBytes, onLine, onTooLong }: LineOptions): void {
  let pieces: Buffer[] = [];
  let length = 0;
  input.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      onLine(Buffer.concat([...pieces, chunk.subarray(from, end + 1)]));
      [pieces, length, from] = [[], 0, end + 1];
    }
    if (from === chunk.length) return;
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length <= maxBytes) return;
    [pieces, length] = [[], 0];
    onTooLong();
  });
  input.on("end", () => {
    if (length > 0) onLine(Buffer.concat([...pieces, Buffer.from("\n")]));
  });
}

/** Nothing more is read from `input` while `output` is full. */
function write(output: Writable, text: Buffer | string, input: Readable): void {
  if (output.write(text)) return;
  input.pause();
  output.once("drain", () => input.resume());
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: HOST, port: 0 }, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Connections of tool servers, by their numbers. */
class ToolChannels {
  readonly #options: NonNullable<LaunchOptions["tools"]>;
  readonly #maxBytes: number;
  readonly #channels = new Map<number, Socket>();
  #count = 0;

  constructor(options: NonNullable<LaunchOptions["tools"]>, maxBytes: number) {
    this.#options = options;
    this.#maxBytes = maxBytes;
  }

  async open(): Promise<void> {
    const { file, token } = this.#options;
    const port = await listen(createServer({ noDelay: true }, (socket) => this.#accept(socket)));
    put(file, JSON.stringify({ port, token }));
  }

  take({ channel, line, closed }: ToolLine): void {
    const socket = this.#channels.get(channel);
    if (line !== undefined) socket?.write(`${line}\n`);
    if (closed === true) socket?.end();
  }

  #accept(socket: Socket): void {
    const { token, channels } = this.#options;
    let channel: number | undefined;
    const tell = (rest: Omit<ToolLine, "sallyport" | "channel">): void => {
      if (channel !== undefined)
        write(process.stdout, `${JSON.stringify({ sallyport: "tools", channel, ...rest })}\n`, socket);
    };
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      if (channel !== undefined) this.#channels.delete(channel);
      tell({ closed: true });
    });
    readLines(socket, {
      maxBytes: this.#maxBytes,
      onTooLong: () => socket.destroy(),
      onLine: (bytes) => {
        const line = bytes.toString("utf8").trim();
        if (channel !== undefined) return line === "" ? undefined : tell({ line });
        // The first line must be the token: others on this machine can connect too.
        if (line !== token || this.#channels.size >= channels) return void socket.destroy();
        channel = this.#count += 1;
        this.#channels.set(channel, socket);
      },
    });
  }
}

/** Here and not outside: what was written before may be a link by now. */
function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o600 });
}

async function launch({ argv, env, files, socket, tools, maxLineBytes }: LaunchOptions): Promise<void> {
  const base = socket === undefined ? "" : `http://${HOST}:${(await openPort({ port: 0, socket })).port}`;
  const filled = (text: string): string => text.replaceAll("{base_url}", base);
  const channels = tools === undefined ? undefined : new ToolChannels(tools, maxLineBytes);
  await channels?.open();
  for (const [path, content] of Object.entries(files)) put(path, filled(content));
  const { [OPTIONS]: _options, ...own } = process.env;
  const added = Object.entries(env).map(([name, value]) => [name, filled(value)] as const);
  const [program = "", ...words] = argv.map(filled);
  const child = spawn(program, words, {
    env: { ...own, ...Object.fromEntries(added) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.once("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  // A broken pipe is a closed pipe: the exit reports the end.
  for (const pipe of [child.stdin, child.stdout, process.stdin, process.stdout]) pipe.on("error", () => undefined);
  const tooLong = (): void => {
    process.stderr.write(`a line has more than ${maxLineBytes} bytes\n`);
    child.kill("SIGKILL");
  };
  readLines(child.stdout, {
    maxBytes: maxLineBytes,
    onLine: (line) => write(process.stdout, line, child.stdout),
    onTooLong: tooLong,
  });
  readLines(process.stdin, {
    maxBytes: maxLineBytes,
    onLine: (line) => {
      const ours = line.subarray(0, TOOLS_LINE.length).equals(TOOLS_LINE);
      if (ours) channels?.take(JSON.parse(line.toString("utf8")) as ToolLine);
      else write(child.stdin, line, process.stdin);
    },
    onTooLong: tooLong,
  });
  process.stdin.once("end", () => child.stdin.end());
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
  child.once("close", (code, signal) => {
    // Whoever waits for this process learns how the program ended.
    const end = (): void => {
      if (signal === null) process.exit(code ?? 1);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    };
    process.stdout.write("", end);
  });
}

const TOOLS_LINE = Buffer.from('{"sallyport":"tools"');

function relay(file: string): void {
  const { port, token } = JSON.parse(readFileSync(file, "utf8")) as { readonly port: number; readonly token: string };
  const socket = connect({ host: HOST, port, noDelay: true });
  socket.write(`${token}\n`);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  const end = (): never => process.exit(0);
  socket.once("close", end);
  socket.on("error", end);
  process.stdout.on("error", end);
}

const [, , verb, file] = process.argv;
if (verb === "relay" && file !== undefined) relay(file);
else await launch(JSON.parse(process.env[OPTIONS] ?? "") as LaunchOptions);
