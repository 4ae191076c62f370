/** What the attacks aim at: canaries where secrets lie, and listeners of our own. Nothing here is outside this machine. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";

/** The secret half is in no program that runs inside. */
export const canary = (kind) => `canary-${kind}-${randomBytes(12).toString("hex")}`;

/** Files with a canary each, beside what a session may see. */
function plantSecrets(root, home) {
  const secrets = {
    token: join(home, "token"),
    database: join(home, "sallyport.db.old"),
    output: join(home, "output", "ses_other", "log"),
    engine: join(home, "engines", "ses_other", "settings.json"),
    ssh: join(root, ".ssh", "id_ed25519"),
    other: join(root, "other-workspace", ".env"),
    shared: join(root, "shared", "hidden", "key"),
  };
  for (const [kind, path] of Object.entries(secrets)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) writeFileSync(path, `${canary(kind)}\n`, { mode: 0o600 });
  }
  return secrets;
}

async function listening(server, ...where) {
  server.on("error", () => undefined);
  server.listen(...where);
  await once(server, "listening");
  server.unref();
  return typeof server.address() === "string" ? server.address() : server.address().port;
}

async function bound(type, host) {
  const socket = createSocket(type);
  socket.unref();
  const heard = [];
  socket.on("message", (text, from) => {
    heard.push(String(text));
    socket.send(answerTo(text), from.port, from.address);
  });
  socket.bind(0, host);
  await once(socket, "listening");
  return { port: socket.address().port, heard };
}

/** A resolver's answer to whoever asks for a name, an echo to others. */
function answerTo(text) {
  if (text.length < 17 || String(text).startsWith("from-inside")) return `listener-of-redteam`;
  const question = text.subarray(12);
  const head = Buffer.from([text[0], text[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  return Buffer.concat([head, question, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 10, 9, 8, 7])]);
}

/** Everything that answers, and what was heard: nothing of it may come from inside. */
async function openListeners(root, host) {
  const heard = [];
  const greet = (name) => (socket) => {
    heard.push(name);
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\nlistener-of-redteam");
  };
  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.family === "IPv6");
  const folder = join(root, "sockets");
  mkdirSync(folder, { mode: 0o700 });
  const abstractSocket = `redteam-${randomBytes(6).toString("hex")}`;
  const pathSocket = join(folder, "listener");
  const udp4 = await bound("udp4", host);
  const udp6 = hasIpv6 ? await bound("udp6", "::1") : udp4;
  const allowed = createHttp((request, response) => {
    const to = new URL(request.url, "http://a").searchParams.get("to");
    response.writeHead(to === null ? 200 : 302, to === null ? {} : { location: to }).end("allowed");
  });
  const targets = {
    tcp4: await listening(createServer(greet("TCP")), 0, host),
    tcp6: hasIpv6 ? await listening(createServer(greet("TCP over IPv6")), 0, host === "0.0.0.0" ? "::" : "::1") : 9,
    udp4: udp4.port,
    udp6: udp6.port,
    dns: udp4.port,
    allowed: await listening(allowed, 0, "127.0.0.1"),
    pathSocket: await listening(createServer(greet("a unix socket")), pathSocket),
    abstractSocket,
    addresses: Object.values(networkInterfaces())
      .flat()
      .filter((address) => !address.internal && !address.address.startsWith("fe80"))
      .map(({ address }) => address),
  };
  await listening(createServer(greet("an abstract socket")), `\0${abstractSocket}`);
  return { targets, heard: () => [...heard, ...udp4.heard, ...udp6.heard] };
}

/** Prepares a workspace for the attacks: their programs and what they need to know. */
export async function openYard({ root, home, workspace, host = "127.0.0.1", ...more }) {
  const secrets = plantSecrets(root, home);
  const outside = [root, home, dirname(secrets.other), dirname(secrets.ssh)];
  for (const folder of outside) writeFileSync(join(folder, "marker-of-redteam"), "");
  const { targets, heard } = await openListeners(root, host);
  const programs = join(workspace, "redteam");
  cpSync(join(import.meta.dirname, "inside"), programs, { recursive: true });
  chmodSync(programs, 0o755);
  const source = join(import.meta.dirname, "inside", "calls.c");
  const hasCompiler = existsSync("/usr/bin/gcc");
  if (hasCompiler) execFileSync("/usr/bin/gcc", ["-O1", "-w", "-o", join(workspace, "calls"), source]);
  const file = join(programs, "targets.json");
  const write = (others) =>
    writeFileSync(file, JSON.stringify({ ...targets, secrets, outside, home, workspace, ...more, ...others }));
  write({});
  return {
    hasCompiler,
    targets,
    secrets,
    write,
    command: (...groups) => [process.execPath, join(programs, "attacks.mjs"), file, ...groups],
    /** What came out of the sandbox, seen from outside. */
    traces() {
      const written = outside.filter((folder) => readdirSync(folder).some((name) => /^w\d$/.test(name)));
      const setuid = readdirSync(workspace).filter((name) => {
        const found = statSync(join(workspace, name), { throwIfNoEntry: false });
        return found?.isFile() && (found.mode & 0o6000) !== 0;
      });
      return { heard: heard(), written, setuid };
    },
  };
}
