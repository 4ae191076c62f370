import { readdir, readFile, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isTerminal, type JournalEvent } from "../../src/protocol/index.ts";
import { qemuDriver } from "../../src/sandbox/qemu/driver.ts";
import { script } from "../support/app.ts";
import { isAlive } from "../support/escapes.ts";
import { leftBehind, makePlace, startServer, type ServerProcess } from "../support/server.ts";

/** An emulated processor is some twenty times slower, and this machine may be busy. */
const MOST_MS = 2_400_000;
const COMMAND_MS = 600_000;
const ALLOWED = { SALLYPORT_CONTAINER_EMULATION: "1" };
const missing = await qemuDriver({ marker: "soak" }).missing();

/** The virtual machines that a server runs, by the ids of their processes. */
async function machinesOf({ child }: ServerProcess): Promise<readonly number[]> {
  const rows = (await readdir("/proc"))
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      const [words, status] = await Promise.all(
        ["cmdline", "status"].map((file) => readFile(`/proc/${name}/${file}`, "latin1").catch(() => "")),
      );
      const isMachine = (words ?? "").startsWith("/usr/bin/qemu-system");
      return { pid: Number(name), isMachine, parent: Number(/^PPid:\s+(\d+)/m.exec(status ?? "")?.[1] ?? 0) };
    });
  const found = await Promise.all(rows);
  const parents = new Map(found.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid) ?? 0; at > 1; at = parents.get(at) ?? 0) if (at === child.pid) return true;
    return false;
  };
  return found.filter(({ pid, isMachine }) => isMachine && isBelow(pid)).map(({ pid }) => pid);
}

/** All that follows on a prompt, to the end of its turn. `said`: called once, when a frame has these words. */
async function go(
  { client }: ServerProcess,
  id: string,
  { text, said }: { readonly text: string; readonly said?: readonly [string, () => Promise<unknown>] },
): Promise<readonly JournalEvent[]> {
  const { turn_id, seq } = await client.prompt(id, { text });
  const events: JournalEvent[] = [];
  let waiting = said;
  for await (const frame of client.watch(id, { after: seq - 1 })) {
    if (waiting !== undefined && frame.type !== "turn.started" && JSON.stringify(frame).includes(waiting[0])) {
      await waiting[1]();
      waiting = undefined;
    }
    if (!("seq" in frame)) continue;
    events.push(frame);
    if (isTerminal(frame) && frame.turn_id === turn_id) break;
  }
  return events;
}

it.skipIf(missing !== undefined)(
  "a session in QEMU's machine reads, writes, runs, is interrupted, and outlives a server that is killed",
  { timeout: MOST_MS },
  async () => {
    const place = await makePlace();
    const { workspace, home } = place;
    const file = join(workspace, "made.txt");
    await writeFile(join(workspace, "given.txt"), "given\n");
    const bash = (command: string): object => ({ tool: "Bash", input: { command, timeout: COMMAND_MS } });
    const hangs = script(bash("echo it-began; exec sleep 100000"), { say: "Over." });
    let server = await startServer(place, ALLOWED);
    const { id } = await server.client.createSession({
      engine: "loop",
      sandbox: "firecracker",
      network: "none",
      autonomy: "full",
    });

    const steps = script(
      { tool: "Read", input: { file_path: join(workspace, "given.txt") } },
      { tool: "Write", input: { file_path: file, content: "one\n" } },
      { tool: "Edit", input: { file_path: file, old_string: "one", new_string: "first" } },
      bash(`echo two >> ${file}; uname -r; id -u; ls -a ${home} 2>&1`),
      { tool: "Glob", input: { pattern: "*.txt" } },
      { tool: "Grep", input: { pattern: "two", output_mode: "content" } },
      { say: "Done." },
    );
    const worked = await go(server, id, { text: steps });
    expect(worked.at(-1)).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
    expect(await readFile(file, "utf8")).toBe("first\ntwo\n");
    const told = JSON.stringify(worked);
    expect(told).not.toContain(release());
    expect(told).not.toContain("sallyport.db");
    expect(told).toContain("made.txt");

    const stopped = await go(server, id, { text: hangs, said: ["it-began\\n", () => server.client.interrupt(id)] });
    expect(stopped.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    const next = await go(server, id, { text: script(bash("pgrep -c sleep; echo counted"), { say: "Done." }) });
    expect(JSON.stringify(next)).toContain("0\\ncounted");

    const seen: number[] = [];
    const killed = go(server, id, {
      text: hangs,
      said: [
        "it-began\\n",
        async () => {
          seen.push(...(await machinesOf(server)));
          await server.kill();
          throw new Error("the server is gone");
        },
      ],
    });
    await expect(killed).rejects.toThrow("the server is gone");
    expect(seen).toHaveLength(1);
    await expect.poll(() => seen.filter(isAlive), { timeout: COMMAND_MS }).toEqual([]);
    server = await startServer(place, ALLOWED);
    const resumed = await go(server, id, { text: script(bash(`cat ${file}`), { say: "Done." }) });
    expect(JSON.stringify(resumed)).toContain("first\\ntwo");
    const last = await machinesOf(server);
    await server.client.control(id, "close");
    await server.stop();
    expect(last.filter(isAlive)).toEqual([]);
    expect(await leftBehind(place)).toEqual([]);
    await place.remove();
  },
);
