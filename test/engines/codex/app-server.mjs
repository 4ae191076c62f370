// A `codex app-server` that takes a prompt, answers every request, and does nothing. It says so in lines that are no messages.
// With a method and a file it works, but dies at that method as often as the file has letters.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const [dyingAt, file] = process.argv.slice(2).filter((word) => word !== "app-server");
const RESULTS = {
  initialize: { userAgent: "sallyport/99.0.0 (test)" },
  "thread/start": { thread: { id: "thread" } },
  "turn/start": { turn: { id: "turn" } },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === dyingAt && existsSync(file)) {
    const left = readFileSync(file, "utf8").trim();
    if (left !== "") {
      writeFileSync(file, left.slice(1));
      process.kill(process.pid, "SIGKILL");
      return;
    }
  }
  if (id === undefined) return;
  write({ id, result: RESULTS[method] ?? {} });
  if (method === "turn/start") {
    write({ method: "turn/started", params: { turn: { id: "turn" } } });
    if (dyingAt === undefined) process.stdout.write("it idles\n");
    else write({ method: "turn/completed", params: { turn: { id: "turn", status: "completed" } } });
  }
  if (method === "thread/loaded/list") process.stdout.write("it lives\n");
});
