// What the platform sees of the container: `/health` and `/ws`, and nothing else of the server. The platform has checked who comes
// here, so the token that the server wants is added on the way; no page and no setting of the platform holds it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const main = process.argv[2] ?? join(here, "node_modules/sallyport/dist/cli/main.js");
const outerPort = Number(process.env["RELAY_PORT"] ?? "5353");
const innerPort = Number(process.env["RELAY_SERVER_PORT"] ?? "5354");
const token = process.env["SALLYPORT_TOKEN"] ?? `sp_${randomBytes(32).toString("base64url")}`;
const inner = { host: "127.0.0.1", port: innerPort };

const server = spawn(process.execPath, [main, "serve"], {
  // What it says at its start holds the token, which does not belong into the platform's logs. Its own log is the other one.
  stdio: ["ignore", "ignore", "inherit"],
  env: { ...process.env, SALLYPORT_TOKEN: token, SALLYPORT_HOST: inner.host, SALLYPORT_PORT: String(innerPort) },
});
server.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.kill(signal));

/** Whether a browser on this machine asks by itself: then no platform has checked anybody. */
function isBrowserHere({ host = "", origin }) {
  return origin !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);
}

/** Of a WebSocket's opening only what makes it one; cookies and origins of the platform are not the server's business. */
function openingHeaders(headers) {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith("sec-websocket-"));
  const added = { connection: "Upgrade", upgrade: "websocket", authorization: `Bearer ${token}` };
  return { ...Object.fromEntries(kept), ...added };
}

function refuse(answer, status, words) {
  answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: words }));
}

const relay = createServer((asked, answer) => {
  if (asked.url !== "/health" || (asked.method !== "GET" && asked.method !== "HEAD")) {
    refuse(answer, 404, "there is only /health and /ws here");
    return;
  }
  const onward = request({ ...inner, path: "/health", method: asked.method }, (told) => {
    answer.writeHead(told.statusCode ?? 502, { "content-type": told.headers["content-type"] ?? "application/json" });
    told.pipe(answer);
  });
  onward.on("error", () => refuse(answer, 503, "the server is starting"));
  onward.end();
});

/** The head of an answer, for a socket that has no other way to give one. */
function head(status, words, headers) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${words}`, ...lines, "", ""].join("\r\n");
}

relay.on("upgrade", (asked, socket, early) => {
  const end = (status, words) => socket.end(head(status, words, { connection: "close", "content-length": "0" }));
  socket.on("error", () => socket.destroy());
  // As it stands: `//` and the like are no URL that could be parsed.
  if (asked.url?.split("?", 1)[0] !== "/ws") {
    end(404, "Not Found");
    return;
  }
  if (isBrowserHere(asked.headers)) {
    end(403, "Forbidden");
    return;
  }
  const onward = request({ ...inner, path: "/ws", headers: openingHeaders(asked.headers) });
  socket.on("close", () => onward.destroy());
  onward.on("error", () => end(503, "Service Unavailable"));
  onward.on("response", (told) => end(told.statusCode ?? 502, told.statusMessage ?? "Bad Gateway"));
  onward.on("upgrade", (told, other, first) => {
    socket.write(head(101, "Switching Protocols", told.headers));
    if (first.length > 0) socket.write(first);
    if (early.length > 0) other.write(early);
    other.on("error", () => socket.destroy());
    other.on("close", () => socket.destroy());
    socket.on("close", () => other.destroy());
    socket.pipe(other).pipe(socket);
  });
  onward.end();
});

relay.listen(outerPort, process.env["RELAY_HOST"] ?? "0.0.0.0");
