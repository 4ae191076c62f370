/**
 * The server's end of a multiplexer: `multiplexer-outside.js <sockets as JSON> <command>`. It runs the command, at the other end of which is
 * `multiplexer-inside.js`, and connects to the server's sockets for what is inside.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { fstatSync } from "node:fs";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../../protocol/limits.ts";
import { Multiplexer } from "./multiplexer.ts";

const [, , sockets = "[]", program = "", ...words] = process.argv;
const paths = JSON.parse(sockets) as readonly string[];
/** The filter for system calls, which is a file, if the command was given one behind its standard streams. */
const FILTER = 3;
const filter = isFile(FILTER) ? [FILTER] : [];
const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit", ...filter] }) as ChildProcessByStdio<
  Writable,
  Readable,
  null
>;
const multiplexer = new Multiplexer({
  input: child.stdout,
  output: child.stdin,
  onControl: (chunk) => void process.stdout.write(chunk),
  connect: (target) => connect({ path: paths[target] ?? "", allowHalfOpen: true }),
});
child.stdin.on("error", () => undefined);
process.stdin.on("data", (chunk: Buffer) => multiplexer.control(chunk));
process.stdin.once("end", end);
process.stdin.once("error", end);
child.once("error", () => process.exit(1));
child.once("close", (code) => process.exit(code ?? 1));

/** The server is gone. Not every command ends with its input: a machine's does not. */
function end(): void {
  child.stdin.end();
  setTimeout(() => child.kill("SIGTERM"), LIMITS.killGraceMs);
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}
