// OpenCode's server for tests, as far as a turn needs it. It answers each prompt with "Done.", or begins to and waits to be aborted when
// the prompt is "wait". Each request is a line of `requests.txt` in its home, with what was made up left out. It dies at the
// request that is the first line of `deaths.txt` there, once for each line.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const SESSION = "ses_1";
const FILE = join(process.env.HOME, "requests.txt");
const DEATHS = join(process.env.HOME, "deaths.txt");
const messages = new Set();
const watchers = new Set();

const tell = (type, properties) => {
  for (const watcher of watchers) watcher.write(`data: ${JSON.stringify({ type, properties })}\n\n`);
};
const message = (info) => tell("message.updated", { sessionID: SESSION, info: { sessionID: SESSION, ...info } });
const rest = () => tell("session.status", { sessionID: SESSION, status: { type: "idle" } });
const answer = (response, status, body) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(body === undefined ? "" : JSON.stringify(body));

function prompted({ messageID, parts }) {
  const id = `${messageID}a`;
  const part = { id: `prt_${id}`, sessionID: SESSION, messageID: id, type: "text" };
  messages.add(messageID).add(id);
  message({ id: messageID, role: "user", time: {} });
  message({ id, role: "assistant", time: {} });
  tell("message.part.updated", { sessionID: SESSION, part: { ...part, text: "" } });
  tell("message.part.delta", { sessionID: SESSION, messageID: id, partID: part.id, field: "text", delta: "Done." });
  if (parts.at(-1)?.text === "wait") return;
  tell("message.part.updated", { sessionID: SESSION, part: { ...part, text: "Done.", time: { end: 1 } } });
  message({ id, role: "assistant", finish: "stop", time: { completed: 1 } });
  rest();
}

function dieAt(line) {
  const [next, ...others] = existsSync(DEATHS) ? readFileSync(DEATHS, "utf8").split("\n") : [];
  if (next !== line) return;
  writeFileSync(DEATHS, others.join("\n"));
  process.kill(process.pid, "SIGKILL");
}

async function take(request, response) {
  const path = request.url.split("?")[0];
  const [, , , kind, id] = path.split("/");
  const shown = id === undefined ? path : `/session/${SESSION}/${kind}/<id>`;
  appendFileSync(FILE, `${request.method} ${shown}\n`);
  dieAt(`${request.method} ${shown}`);
  let body = "";
  for await (const chunk of request) body += chunk;
  if (path === "/event") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    watchers.add(response);
    tell("server.connected", {});
  } else if (path === "/session" && request.method === "POST") answer(response, 200, { id: SESSION });
  else if (kind === "message") answer(response, messages.has(id) ? 200 : 404, {});
  else if (kind === "prompt_async") {
    answer(response, 204);
    prompted(JSON.parse(body));
  } else if (kind === "abort") {
    answer(response, 200, true);
    tell("session.error", { sessionID: SESSION, error: { name: "MessageAbortedError", data: { message: "Aborted" } } });
    rest();
  } else answer(response, 200, {});
}

const server = createServer((request, response) => void take(request, response));
server.listen(0, "127.0.0.1", () => {
  console.log(`opencode server listening on http://127.0.0.1:${server.address().port}`);
});
process.on("SIGTERM", () => process.exit(0));
