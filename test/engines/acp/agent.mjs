// A small agent of the Agent Client Protocol for tests: it does what the JSON after `agent:` in a prompt says, step by step, and says
// what it was answered.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const record = join(process.env.HOME, "sessions.json");
const sessions = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
const waiting = new Map();
let count = 0;
let cancelled = false;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    count += 1;
    waiting.set(count, resolve);
    write({ id: count, method, params });
  });

async function play(sessionId, steps) {
  const update = (fields) => write({ method: "session/update", params: { sessionId, update: fields } });
  const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  for (const step of steps) {
    if (cancelled) return "cancelled";
    if (step.say !== undefined) say(step.say);
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
      const answers = await Promise.all(
        Array.from({ length: step.many }, () => ask(step.method, { sessionId, ...step.params })),
      );
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
    if (step.known !== undefined) say(sessions[sessionId].join("|"));
  }
  return cancelled ? "cancelled" : "end_turn";
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
      if (sessions[params.sessionId] === undefined) throw new Error("unknown session");
      write({
        method: "session/update",
        params: {
          sessionId: params.sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "replayed" } },
        },
      });
      return {};
    case "session/prompt": {
      cancelled = false;
      const words = params.prompt.map(({ text = "" }) => text).join("\n");
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
