import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import { isAlive } from "../support/escapes.ts";
import { script } from "../support/app.ts";
import { leftBehind, makePlace, startServer, TEST_TOKEN } from "../support/server.ts";
import { until } from "../support/until.ts";

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
  expect((await readdir(place.home)).filter((name) => /\.pid$|\.sock$/.test(name))).toEqual([]);
  await place.remove();
});

const canOpenTerminal = spawnSync("script", ["--version"]).status === 0;

it.skipIf(!canOpenTerminal)(
  "a server whose terminal is closed lets a command end, and clears up (needs `script`)",
  async () => {
    const place = await makePlace();
    const main = resolve(import.meta.dirname, "../../dist/cli/main.js");
    const words = `"${process.execPath}" "${main}" serve --home "${place.home}" --workspace "${place.workspace}" --port 0 --drain-seconds 3600`;
    const terminal = spawn("script", ["-qfec", words, "/dev/null"], {
      env: { PATH: process.env["PATH"], HOME: place.home, SALLYPORT_TOKEN: TEST_TOKEN },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let text = "";
    for await (const chunk of terminal.stdout) {
      text += String(chunk);
      if (text.includes("First task")) break;
    }
    const { pid, url } = JSON.parse(await readFile(join(place.home, "server.json"), "utf8")) as {
      readonly pid: number;
      readonly url: string;
    };
    const command = "touch begun; until [ -e go ]; do sleep 0.02; done; touch ended";
    await new SallyportClient({ url, token: TEST_TOKEN }).createSession({
      autonomy: "full",
      prompt: { text: script({ tool: "Bash", input: { command } }) },
    });
    await until(async () => (await readdir(place.workspace)).includes("begun"));
    terminal.kill("SIGKILL");
    await until(async () => (await fetch(`${url}/ready`)).status === 503);
    expect(isAlive(pid)).toBe(true);
    await writeFile(join(place.workspace, "go"), "");
    await until(() => !isAlive(pid));
    expect(await readdir(place.workspace)).toEqual(expect.arrayContaining(["ended"]));
    expect((await readdir(place.home)).filter((name) => /^server\.json$|\.pid$|\.sock$/.test(name))).toEqual([]);
    expect(await leftBehind(place)).toEqual([]);
    await place.remove();
  },
);
