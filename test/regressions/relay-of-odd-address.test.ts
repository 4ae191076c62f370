import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const RELAY = resolve(import.meta.dirname, "../../integrations/datagrok/dockerfiles/claude-runtime/relay.mjs");
const TRIES = 200;
const TRY_MS = 25;

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The first line of the answer to the opening of a WebSocket; undefined: nobody is there. */
function opening(port: number, path: string): Promise<string | undefined> {
  return new Promise((answer) => {
    const socket = connect(port, "127.0.0.1");
    const words = ["Host: container", "Connection: Upgrade", "Upgrade: websocket"];
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    socket.on("error", () => undefined).on("close", () => answer(text.split("\r\n")[0] || undefined));
    socket.write([`GET ${path} HTTP/1.1`, ...words, "", ""].join("\r\n"));
  });
}

test("the container's relay answers an address that is none, and goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-relay-"));
  const idle = join(folder, "server.mjs");
  writeFileSync(idle, "setInterval(() => undefined, 1_000_000);");
  const port = await freePort();
  const child = spawn(process.execPath, [RELAY, idle], {
    stdio: "ignore",
    env: { RELAY_HOST: "127.0.0.1", RELAY_PORT: String(port), RELAY_SERVER_PORT: String(await freePort()) },
  });
  const ended = once(child, "exit");
  try {
    let up: string | undefined;
    for (let tries = 0; up === undefined && tries < TRIES; tries += 1) {
      up = await opening(port, "/nothing");
      if (up === undefined) await new Promise((resume) => setTimeout(resume, TRY_MS));
    }
    const answers = [up];
    for (const path of ["//", "///", "http://[", "//ws", "/ws/", "/%2e%2e/ws", "/ws?x=1"])
      answers.push(await opening(port, path));
    const missing = "HTTP/1.1 404 Not Found";
    // The last one is the right address; behind it nobody listens.
    expect(answers).toEqual([...Array<string>(7).fill(missing), "HTTP/1.1 503 Service Unavailable"]);
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
