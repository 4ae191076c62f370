import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { runScript, script } from "../support/app.ts";
import { isAlive } from "../support/escapes.ts";
import { makePlace, startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** The watchdogs among the children of a process. */
async function watchdogsOf(pid: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string): Promise<string> => readFile(`/proc/${name}/${file}`, "latin1").catch(() => "");
    const isChild = (await read("status")).includes(`\nPPid:\t${pid}\n`);
    if (isChild && (await read("cmdline")).includes("after-death.js")) found.push(Number(name));
  }
  return found;
}

describe.runIf(process.platform === "linux")("the watchdog", () => {
  it("is started with the server's first process, once, and ends with the server", async () => {
    const place = await makePlace();
    const server = await startServer(place);
    const pid = server.child.pid ?? 0;
    const talk = { prompt: { text: script({ say: "I start nothing." }) } };
    const work = (command: string) => ({
      autonomy: "full" as const,
      prompt: { text: script({ tool: "Bash", input: { command } }, { say: "Done." }) },
    });
    await runScript(server.client, talk);
    expect(await watchdogsOf(pid)).toEqual([]);
    await runScript(server.client, work("true"));
    const watchdogs = await watchdogsOf(pid);
    expect(watchdogs).toHaveLength(1);
    await runScript(server.client, work("true"));
    expect(await watchdogsOf(pid)).toEqual(watchdogs);
    await server.stop();
    await until(() => !watchdogs.some(isAlive));
    await place.remove();
  });

  it("knows of the first process before it exists: both end, also after kill -9 in that moment", async () => {
    const place = await makePlace();
    const program = join(import.meta.dirname, "dying-at-spawn.mjs");
    const dying = spawn(process.execPath, [program, `watchdog-${place.workspace}`, place.workspace], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said, [, signal]] = await Promise.all([text(dying.stdout), once(dying, "exit")]);
    const { before, after } = JSON.parse(said) as { before: readonly string[]; after: readonly string[] };
    expect([signal, before, after.length]).toEqual(["SIGKILL", [], 2]);
    await until(() => !after.map(Number).some(isAlive));
    await place.remove();
  });
});
