/**
 * The server's end of a multiplexer: `multiplexer-outside.js <sockets as JSON> <command>`. It runs the command, at the other end of which is
 * `multiplexer-inside.js`, and connects to the server's sockets for what is inside.
 */
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { Multiplexer } from "./multiplexer.ts";

const [, , sockets = "[]", program = "", ...words] = process.argv;
const paths = JSON.parse(sockets) as readonly string[];
const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
const multiplexer = new Multiplexer({
  input: child.stdout,
  output: child.stdin,
  onControl: (chunk) => void process.stdout.write(chunk),
  connect: (target) => connect({ path: paths[target] ?? "", allowHalfOpen: true }),
});
child.stdin.on("error", () => undefined);
process.stdin.on("data", (chunk: Buffer) => multiplexer.control(chunk));
process.stdin.once("end", () => child.stdin.end());
process.stdin.once("error", () => child.stdin.end());
child.once("error", () => process.exit(1));
child.once("close", (code) => process.exit(code ?? 1));
