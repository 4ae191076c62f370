import { readdirSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";

/** The sockets that this sandbox was given, wherever its folder is. */
function socketsNamed(name) {
  return readdirSync("/tmp")
    .filter((folder) => folder.startsWith("sallyport-box-"))
    .flatMap((folder) => readdirSync(`/tmp/${folder}`).map((found) => `/tmp/${folder}/${found}`))
    .filter((path) => path.endsWith(`/${name}`));
}

function ask(socketPath, { method = "GET", path, headers = {}, body = "" }) {
  return new Promise((resolve) => {
    const asked = request({ socketPath, method, path, headers: { host: "sallyport", ...headers }, timeout: 3_000 });
    asked.once("error", () => resolve({ status: 0, text: "" }));
    asked.once("timeout", () => asked.destroy());
    asked.once("upgrade", (answer) => resolve({ status: answer.statusCode, text: "upgraded" }));
    asked.once("connect", (answer) => resolve({ status: answer.statusCode, text: "connected" }));
    asked.once("response", (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk));
      answer.once("close", () => resolve({ status: answer.statusCode, text }));
    });
    asked.end(body);
  });
}

const MESSAGE = JSON.stringify({ model: "sim", max_tokens: 10, messages: [{ role: "user", content: "hi" }] });

/** The first of these that is answered with anything but a refusal. */
async function firstAnswered(asked) {
  const [socket] = socketsNamed("model");
  if (socket === undefined) return undefined;
  for (const one of asked) {
    const { status, text } = await ask(socket, one);
    if (status >= 100 && status < 400) return `${one.method ?? "GET"} ${one.path}: ${status} ${text.slice(0, 80)}`;
  }
  return undefined;
}

/** How many of these connections are still open after a while. */
function holdOpen(path, count) {
  const open = new Set();
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ path });
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => open.delete(socket));
    socket.resume();
  }
  return new Promise((resolve) =>
    setTimeout(() => {
      const left = open.size;
      for (const socket of open) socket.destroy();
      resolve(left);
    }, 2_000),
  );
}

export const model = {
  "sockets of the sandbox: all the places of a server": async () => {
    for (const name of ["model", "egress"])
      for (const path of socketsNamed(name)) {
        const held = await holdOpen(path, 1_500);
        if (held > 300) return `${held} connections to ${name}`;
      }
    return undefined;
  },
  "model socket: routes of the server": () =>
    firstAnswered(
      // At `/` it says what it is, to anybody.
      [
        "/api/sessions",
        "/api/engines",
        "/api/tokens",
        "/api/approvals",
        "/api/policy",
        "/claude/",
        "/healthz",
        "/metrics",
        "/v1/files",
        "/v1/models",
        "/../api/sessions",
        "//api/sessions",
        "http://127.0.0.1/api/sessions",
      ].flatMap((path) => ["GET", "POST", "PUT", "DELETE"].map((method) => ({ method, path }))),
    ),
  "model socket: no key, no such key": () =>
    firstAnswered(
      [
        {},
        { "x-api-key": "nobody" },
        { authorization: "Bearer nobody" },
        { "x-api-key": "" },
        { authorization: "Bearer " },
        { "x-api-key": "sim", authorization: "Bearer sim" },
      ].map((headers) => ({
        method: "POST",
        path: "/v1/messages",
        headers: { "content-type": "application/json", ...headers },
        body: MESSAGE,
      })),
    ),
  "model socket: a tunnel": () =>
    firstAnswered([
      { method: "CONNECT", path: "127.0.0.1:80" },
      { method: "GET", path: "/api/ws", headers: { connection: "upgrade", upgrade: "websocket" } },
    ]),
};
