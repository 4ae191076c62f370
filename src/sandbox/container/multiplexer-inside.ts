/**
 * The end of a multiplexer inside a virtual machine: `multiplexer-inside.js <sockets as JSON> <command>`. It listens where the server's sockets
 * are outside, runs the command, and carries its standard streams and all connections over its own.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { Multiplexer } from "./multiplexer.ts";

const [, , sockets = "[]", program = "", ...words] = process.argv;
const paths = JSON.parse(sockets) as readonly string[];
const multiplexer = new Multiplexer({
  input: process.stdin,
  output: process.stdout,
  onControl: (chunk) => void child.stdin.write(chunk),
});
await Promise.all(
  paths.map(
    (path, target) =>
      new Promise<void>((resolve) => {
        const server = createServer({ allowHalfOpen: true }, (socket) => multiplexer.open(socket, target));
        // Programs may be another user than this one.
        server.listen({ path, readableAll: true, writableAll: true }, resolve);
      }),
  ),
);
const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
child.stdin.on("error", () => undefined);
child.stdout.on("data", (chunk: Buffer) => multiplexer.control(chunk));
// Programs that it started may still hold its streams.
child.once("exit", () => process.exit());
process.stdin.once("end", () => process.exit());
process.stdin.once("error", () => process.exit());
process.stdout.once("error", () => process.exit());
