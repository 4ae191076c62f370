import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Place as Folder, type Ended } from "../../cli/place.ts";
import { MountClient } from "../../../src/client/index.ts";
import { describeWithFuse, MountPlace, PATIENT, shell } from "../../support/fuse.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, startServer, TEST_TOKEN, type Place, type ServerProcess } from "../../support/server.ts";
import { newSession, ok, sim, startMount, type MountProcess } from "./world.ts";

const LONG = sim({ stream: { tokens: 300, per_second: 150 } });

describeWithFuse("a mount whose parts are killed", () => {
  let home: Place;
  let port: string;
  let server: ServerProcess;
  let place: MountPlace;
  let mount: MountProcess;
  let http: MountClient;

  const serve = (): Promise<ServerProcess> => startServer(home, { SALLYPORT_PORT: port });
  const mountAgain = async (): Promise<void> => {
    mount = await startMount({ url: server.url, token: TEST_TOKEN, folder: place.folder });
  };

  beforeAll(async () => {
    home = await makePlace();
    port = String(await ownPort());
    server = await serve();
    place = new MountPlace();
    await mountAgain();
    http = new MountClient({ url: server.url, token: TEST_TOKEN });
  });

  afterAll(async () => {
    await mount.end("SIGKILL");
    place.remove();
    await server.stop();
    await home.remove();
  });

  it("a waiting reader dies at once, and nothing of it is left", async () => {
    const id = await newSession(place.folder, { model: "sim" });
    const before = sockets(mount);
    for (let round = 0; round < ROUNDS; round += 1) {
      const killed = await Promise.all(
        SIGNALS.map(async (signal) => {
          const cat = spawn("cat", [join(place.folder, "sessions", id, "output")], { stdio: "ignore" });
          const exited = once(cat, "exit");
          await expect.poll(() => stateOf(cat.pid), PATIENT).toContain("request_wait_answer");
          const at = performance.now();
          cat.kill(signal);
          return [await exited, performance.now() - at < 5_000];
        }),
      );
      expect(killed).toEqual(SIGNALS.map((signal) => [[null, signal], true]));
    }
    // Each reader of one round may leave a connection that waits for the next request; those of all rounds would be far more.
    await expect.poll(() => sockets(mount), PATIENT).toBeLessThanOrEqual(before + (ROUNDS - 1) * SIGNALS.length);
    expect(await ok(place.folder, `cat sessions/${id}/status`)).toContain(id);
  });

  it("the server: who reads goes on where it broke, and misses nothing", async () => {
    const id = await newSession(place.folder, { model: "sim", initial_prompt: LONG });
    const output = join(place.folder, "sessions", id, "output");
    const cat = spawn("cat", [output]);
    let text = "";
    cat.stdout.setEncoding("utf8");
    const some = new Promise<void>((resolve) => {
      cat.stdout.on("data", (more: string) => {
        text += more;
        if (text.length > 100) resolve();
      });
    });
    const closed = once(cat, "close");
    await some;
    await server.kill();
    const status = shell(place.folder, `cat sessions/${id}/status`);
    server = await serve();
    expect(await status).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(await closed).toEqual([0, null]);
    expect(text).toBe(Buffer.from(await http.read(`/claude/sessions/${id}/output`)).toString());
    expect(await ok(place.folder, `cat sessions/${id}/output`)).toBe(text);
  });

  it("the mount: the folder is free again, and the next mount goes on", async () => {
    const id = await newSession(place.folder, { model: "sim" });
    const waiting = shell(place.folder, `cat sessions/${id}/output`);
    await mount.end("SIGKILL");
    expect((await waiting).code).not.toBe(0);
    await expect.poll(() => place.mounted, PATIENT).toBe(false);
    await mountAgain();
    expect(await ok(place.folder, `cat sessions/${id}/status`)).toContain(id);
  });

  it("the mount and its guard: the dead mount is known and cleaned", async () => {
    process.kill(guardOf(place.folder), "SIGKILL");
    await mount.end("SIGKILL");
    expect((await shell("/", `ls ${place.folder}`)).stderr).toContain("Transport endpoint is not connected");
    await mountAgain();
    expect(await ok(place.folder, "ls")).toContain("new");
    process.kill(guardOf(place.folder), "SIGKILL");
    await mount.end("SIGKILL");
    expect(await sallyport("unmount", place.folder)).toMatchObject({ code: 0 });
    expect(place.mounted).toBe(false);
    await mountAgain();
  });

  it("a folder is mounted once, must be empty, and is taken away by name", async () => {
    expect(await sallyport("mount", place.folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is mounted already"),
    });
    expect(await sallyport("mount", home.home)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not empty"),
    });
    expect(await sallyport("unmount", home.home)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing of ours"),
    });
    expect(await sallyport("unmount", place.folder)).toMatchObject({ code: 0 });
    expect(await mount.exited).toEqual({ code: 0, signal: null });
    await mountAgain();
    expect(await mount.end("SIGTERM")).toEqual({ code: 0, signal: null });
    // The guard was dismissed, and nobody waited for its end.
    await expect.poll(() => [place.mounted, guards(place.folder)], PATIENT).toEqual([false, []]);
    await mountAgain();
  });

  it("lives on a small heap over thousands of opens", async () => {
    await mount.end("SIGTERM");
    // Some room beyond what the program itself needs: with less it only collects garbage.
    mount = await startMount({ url: server.url, token: TEST_TOKEN, folder: place.folder, heapMiB: 64 });
    const id = await newSession(place.folder, { model: "sim" });
    const opens = `for (let i = 0; i < 1000; i += 1) require("node:fs").readFileSync("sessions/${id}/status")`;
    await ok(place.folder, `'${process.execPath}' -e '${opens}'`);
    expect(await ok(place.folder, `cat sessions/${id}/status`)).toContain(id);
  });

  /** The command in this process, which serves none of what it touches. */
  async function sallyport(...words: readonly string[]): Promise<Ended> {
    await using folder = new Folder();
    return folder.run(["--server", server.url, "--token", TEST_TOKEN, ...words]);
  }
});

/** How readers are ended, several at a time. */
const ROUNDS = 3;
const SIGNALS = ["SIGKILL", "SIGINT", "SIGKILL", "SIGINT", "SIGKILL", "SIGINT", "SIGKILL", "SIGINT"] as const;

function sockets({ child }: MountProcess): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

/** What the kernel says a process waits for. */
function stateOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/wchan`, "utf8");
}

function guards(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
        return words.includes("sallyport-mount-guard") && words.includes(folder);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function guardOf(folder: string): number {
  const [pid] = guards(folder);
  if (pid === undefined) throw new Error("there is no guard");
  return pid;
}
