// A `codex app-server` that takes a prompt, answers every request, and does nothing. It says so in lines that are no messages.
import { createInterface } from "node:readline";

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const RESULTS = {
  initialize: { userAgent: "sallyport/99.0.0 (test)" },
  "thread/start": { thread: { id: "thread" } },
  "turn/start": { turn: { id: "turn" } },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  write({ id, result: RESULTS[method] ?? {} });
  if (method === "turn/start") {
    write({ method: "turn/started", params: { turn: { id: "turn" } } });
    process.stdout.write("it idles\n");
  }
  if (method === "thread/loaded/list") process.stdout.write("it lives\n");
});
