// A small agent of the Agent Client Protocol for tests: it does what the JSON after `agent:` in a prompt says, step by step, and says
// what it was answered.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const record = join(process.env.HOME, "sessions.json");
const sessions = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
const waiting = new Map();
let count = 0;
let cancelled = false;

// It dies as it begins, once for each letter in `deaths` in its home.
const deaths = join(process.env.HOME, "deaths");
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    count += 1;
    waiting.set(count, resolve);
    write({ id: count, method, params });
  });

/** The tool server that the client gave: one JSON-RPC request at a time. */
let tools;
function connectTools({ command, args }) {
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = new Map();
  let asked = 0;
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    answers.get(message.id)?.(message);
  });
  tools = (method, params) =>
    new Promise((resolve) => {
      asked += 1;
      answers.set(asked, resolve);
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked, method, params })}\n`);
    });
}

/** Resolves when there is such a file. */
function untilFile(path) {
  return new Promise((resolve) => {
    const look = () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(path), look);
    look();
  });
}

async function play(sessionId, steps) {
  const update = (fields) => write({ method: "session/update", params: { sessionId, update: fields } });
  const say = (text, message) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...message });
  let call;
  for (const step of steps) {
    if (cancelled) return "cancelled";
    if (step.say !== undefined) say(step.say, step.message === undefined ? {} : { messageId: step.message });
    // One of the client's tools: the next steps go on beside it, until `result`.
    if (step.call !== undefined) call = tools("tools/call", step.call);
    if (step.until !== undefined) await untilFile(step.until);
    if (step.result !== undefined) {
      const { result } = await call;
      if (step.result !== "silent") say(result.content.map(({ text }) => text).join("\n"));
    }
    if (step.think !== undefined)
      update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: step.think } });
    if (step.ask !== undefined) say(JSON.stringify(await ask(step.ask, { sessionId, ...step.params })));
    if (step.update !== undefined) update(step.update);
    if (step.terminal !== undefined) {
      const { result, error } = await ask("terminal/create", { sessionId, ...step.terminal });
      if (error !== undefined) say(error.message);
      else {
        const { terminalId } = result;
        const exit = await ask("terminal/wait_for_exit", { sessionId, terminalId });
        const output = await ask("terminal/output", { sessionId, terminalId });
        await ask("terminal/release", { sessionId, terminalId });
        say(JSON.stringify([exit.result.exitCode, output.result.output.trim()]));
      }
    }
    if (step.many !== undefined) {
      // All wait for one command, which ends when this file is there.
      const wait = 'until [ -e "$0" ]; do sleep 0.02; done';
      const { result } = await ask("terminal/create", { sessionId, command: "sh", args: ["-c", wait, step.file] });
      const { terminalId } = result;
      const asked = Array.from({ length: step.many }, () => ask("terminal/wait_for_exit", { sessionId, terminalId }));
      // Only a refusal comes before.
      await Promise.race(asked);
      writeFileSync(step.file, "");
      const answers = await Promise.all(asked);
      say(JSON.stringify(answers.map(({ error }) => error?.message ?? "ok")));
    }
    if (step.raw !== undefined) process.stdout.write(step.raw);
    if (step.flood !== undefined) {
      const line = "x".repeat(1_048_576);
      for (let index = 0; index < step.flood; index += 1) process.stdout.write(line);
    }
    if (step.die !== undefined) process.exit(step.die);
    if (step.hang !== undefined) await new Promise((resolve) => waiting.set("cancel", resolve));
    if (step.environment !== undefined) say(JSON.stringify(step.environment.map((name) => process.env[name] ?? null)));
    if (step.fetch !== undefined) {
      const { MODEL_URL, MODEL_KEY } = process.env;
      const headers = { "x-api-key": MODEL_KEY, "anthropic-version": "2023-06-01" };
      say(String((await fetch(MODEL_URL, { headers })).status));
    }
    // It asks the model until it is answered, or told to stop.
    if (step.insist !== undefined) {
      const { MODEL_URL, MODEL_KEY } = process.env;
      const headers = { "x-api-key": MODEL_KEY, "anthropic-version": "2023-06-01", "content-type": "application/json" };
      const messages = [{ role: "user", content: "sim: []" }];
      const body = JSON.stringify({ model: process.env.MODEL, max_tokens: 100, messages });
      let status = 0;
      const isStopped = () => cancelled;
      while (!isStopped() && status !== 200) ({ status } = await fetch(MODEL_URL, { method: "POST", headers, body }));
      if (cancelled) return "cancelled";
      say(`answered ${status}`);
    }
    if (step.known !== undefined) say(sessions[sessionId].join("|"));
    if (step.stop !== undefined) return step.stop;
    if (step.fail !== undefined) throw new Error(step.fail);
    // What it has on the disk of the turn: words, or other updates. Without this: nothing, as after a power cut.
    if (step.record !== undefined) writeFileSync(`${record}.${sessionId}`, JSON.stringify(step.record));
  }
  return cancelled ? "cancelled" : "end_turn";
}

function recorded(sessionId) {
  const file = `${record}.${sessionId}`;
  const said = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  return [
    ["user_message_chunk", "asked"],
    ...said.map((entry) => (typeof entry === "string" ? ["agent_message_chunk", entry] : [undefined, "", entry])),
  ];
}

function die() {
  const letters = existsSync(deaths) ? readFileSync(deaths, "utf8") : "";
  if (letters === "") return;
  writeFileSync(deaths, letters.slice(1));
  process.kill(process.pid, "SIGKILL");
}

async function answer(method, params) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: process.env.AGENT_VERSION === undefined ? 1 : Number(process.env.AGENT_VERSION),
        agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
        authMethods: [{ id: "test", name: "test" }],
      };
    case "session/new": {
      const sessionId = `s${Object.keys(sessions).length + 1}-${process.pid}`;
      params.mcpServers.forEach(connectTools);
      sessions[sessionId] = [];
      return {
        sessionId,
        modes: {
          currentModeId: "yolo",
          availableModes: [
            { id: "yolo", name: "Y" },
            { id: "ask", name: "A" },
          ],
        },
      };
    }
    case "session/load":
      die();
      if (sessions[params.sessionId] === undefined) throw new Error("unknown session");
      for (const [sessionUpdate, text, entry] of [["agent_message_chunk", "replayed"], ...recorded(params.sessionId)])
        write({
          method: "session/update",
          params: {
            sessionId: params.sessionId,
            update: entry ?? { sessionUpdate, content: { type: "text", text } },
          },
        });
      return {};
    case "session/prompt": {
      die();
      cancelled = false;
      const words = params.prompt.map(({ type, text = `[${type}]` }) => text).join("\n");
      sessions[params.sessionId].push(/\[(\w+)\]/.exec(words)?.[1] ?? "?");
      writeFileSync(record, JSON.stringify(sessions));
      const steps = /^agent: (\[.*)$/m.exec(words.split("</system-reminder>").at(-1));
      if (steps === null) {
        const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `told: ${words}` } };
        write({ method: "session/update", params: { sessionId: params.sessionId, update } });
        return { stopReason: "end_turn" };
      }
      return { stopReason: await play(params.sessionId, JSON.parse(steps[1])) };
    }
    case "session/set_mode":
    case "authenticate":
      return {};
    default:
      throw new Error(`unknown method ${method}`);
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === "session/cancel") {
    cancelled = true;
    waiting.get("cancel")?.();
    return;
  }
  if (message.method === undefined) {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
    return;
  }
  answer(message.method, message.params).then(
    (result) => write({ id: message.id, result }),
    (error) => write({ id: message.id, error: { code: -32603, message: error.message } }),
  );
});
