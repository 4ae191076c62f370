// What the platform sees of the container: `/health` and `/ws`, and nothing else of the server. The platform has checked who comes
// here, so the token that the server wants is added on the way: each person has one of their own, made for the profile `server`.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
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
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => server.kill(signal));

/** Whether a browser on this machine asks by itself: then no platform has checked anybody. */
function isBrowserHere({ host = "", origin }) {
  return origin !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);
}

/** The header in which the platform's proxy says who it is; it must not let the browser's own through. */
const userHeader = (process.env["RELAY_USER_HEADER"] ?? "x-datagrok-user").toLowerCase();
const profile = process.env["RELAY_PROFILE"] ?? "server";
const home = process.env["SALLYPORT_HOME"] ?? ".sallyport";
const TOKEN_LIFE_S = 86_400;
const PEOPLE = 10_000;

/** What a JSON web token says of its owner; undefined: it is none. The platform has checked it, so that is not repeated. */
function ownerIn(text) {
  try {
    const claims = JSON.parse(Buffer.from(text.split(".")[1] ?? "", "base64url").toString("utf8"));
    return claims.sub ?? claims.login ?? claims.user ?? undefined;
  } catch {
    return undefined;
  }
}

/** Who comes, as far as the platform tells: by name, or by the session of their login. All others are one person, "somebody". */
function personOf(headers) {
  const named = headers[userHeader];
  if (typeof named === "string" && named !== "") return { name: named, subject: `name ${named}` };
  const cookie = /(?:^|;\s*)auth=([^;]+)/.exec(headers.cookie ?? "")?.[1];
  const login = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? cookie;
  if (login === undefined) return { name: "somebody", subject: "somebody" };
  const owner = ownerIn(login);
  if (owner !== undefined)
    return { name: String(owner).slice(0, 200), subject: `owner ${String(owner)}`.slice(0, 500) };
  const hash = createHash("sha256").update(login).digest("hex");
  return { name: `login ${hash.slice(0, 8)}`, subject: `login ${hash}` };
}

async function ask(path, { as, body }) {
  const answer = await fetch(`http://${inner.host}:${inner.port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The relay's own token, which makes those of people and may do nothing else. Kept, so that people are the same after a restart. */
let issuing;
async function issuer() {
  const file = join(home, "relay-token");
  const kept = await readFile(file, "utf8").catch(() => undefined);
  if (
    kept !== undefined &&
    (await ask("/api/me", { as: kept }).then(
      ({ bounds }) => bounds.profile === profile,
      () => false,
    ))
  )
    return kept;
  const made = await ask("/api/tokens", { as: token, body: { role: "issuer", name: "datagrok relay", profile } });
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(file, made.token, { mode: 0o600 });
  return made.token;
}

/** By subject, the least recently made first. */
const people = new Map();
async function tokenFor({ name, subject }) {
  const known = people.get(subject);
  if (known !== undefined && known.until > Date.now()) return known.token;
  issuing ??= issuer().catch((error) => {
    issuing = undefined;
    throw error;
  });
  const body = { role: "visitor", name, subject, expires_in_s: TOKEN_LIFE_S };
  const made = await ask("/api/tokens", { as: await issuing, body });
  people.delete(subject);
  // Half of its life: whoever connects has it for hours.
  people.set(subject, { token: made.token, until: Date.now() + TOKEN_LIFE_S * 500 });
  if (people.size > PEOPLE) people.delete(people.keys().next().value);
  return made.token;
}

/** Of a WebSocket's opening only what makes it one; cookies and origins of the platform are not the server's business. */
function openingHeaders(headers, token) {
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith("sec-websocket-") && name !== "sec-websocket-protocol",
  );
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

/** Joins a socket of the platform with one of the server, as the person who came. */
function connectTo(asked, socket, { early, end, own }) {
  if (socket.destroyed) return;
  const onward = request({ ...inner, path: "/ws", headers: openingHeaders(asked.headers, own) });
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
  tokenFor(personOf(asked.headers)).then(
    (own) => connectTo(asked, socket, { early, end, own }),
    () => end(503, "Service Unavailable"),
  );
});

relay.listen(outerPort, process.env["RELAY_HOST"] ?? "0.0.0.0");
