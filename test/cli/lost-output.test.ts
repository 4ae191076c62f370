import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { script } from "../support/house.ts";
import { leftBehind, makePlace, startServer } from "../support/server.ts";

it("a server goes on when nobody reads its log any more, and stops in order", async () => {
  const place = await makePlace();
  const server = await startServer(place, { SALLYPORT_ACCESS_LOG: "on" });
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  for (let asked = 0; asked < 3; asked += 1) expect((await server.client.health()).status).toBe("ok");
  server.child.kill("SIGHUP");
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect((await readdir(place.home)).filter((name) => /^server\.json$|\.pid$|\.sock$/.test(name))).toEqual([]);
  await place.remove();
});

it("a command with a server of its own ends what it started when its output is closed", async () => {
  const place = await makePlace();
  const steps = script({ tool: "Bash", input: { command: "for i in $(seq 1000); do echo line; sleep 0.05; done" } });
  const main = resolve(import.meta.dirname, "../../dist/cli/main.js");
  const child = spawn(process.execPath, [main, "--home", place.home, "run", "--autonomy", "full", steps], {
    cwd: place.workspace,
    env: { PATH: process.env["PATH"], HOME: place.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let text = "";
  for await (const chunk of child.stderr) {
    text += String(chunk);
    if (text.includes("line")) break;
  }
  // Leaving the loop has closed it. The command writes there again with the next line.
  child.stdout.destroy();
  expect(await exited).toEqual([143, null]);
  expect(await leftBehind(place)).toEqual([]);
  expect((await readdir(place.home)).filter((name) => name.endsWith(".pid"))).toEqual([]);
  expect((await readdir(join(place.home))).includes("model.sock")).toBe(false);
  await place.remove();
});
