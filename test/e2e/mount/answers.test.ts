import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Approval } from "../../../src/protocol/index.ts";
import { describeWithFuse, MountPlace, shell } from "../../support/fuse.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { newSession, ok, sim, startMount, type MountProcess } from "./world.ts";

const STALE = expect.stringContaining("Stale file handle") as unknown;
/** Another user of this machine, without any rights. */
const NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups";

describeWithFuse("answers and messages through the mount", () => {
  let app: TestApp;
  let place: MountPlace;
  let mount: MountProcess;

  beforeAll(async () => {
    app = await openTestApp();
    place = new MountPlace();
    await chmod(place.root, 0o755);
    mount = await startMount({
      url: app.serving.url,
      token: TEST_TOKEN,
      folder: place.folder,
      words: ["--allow-other"],
    });
  });

  afterAll(async () => {
    await mount.end("SIGTERM");
    place.remove();
    await app[Symbol.asyncDispose]();
  });

  const bash = (command: string): object => ({ tool: "Bash", input: { command } });
  const written = (name: string): Promise<string> =>
    readFile(join(app.place.workspace, name), "utf8").catch(() => "(absent)");

  /** A session that asks: its folder and its questions. */
  async function asking(count: number, ...steps: readonly object[]) {
    const id = await newSession(place.folder, { model: "sim", initial_prompt: sim(...steps, { say: "." }) });
    const questions: Approval[] = [];
    for await (const frame of app.client.watch(id)) {
      if (frame.type === "approval.requested") questions.push(frame.approval);
      if (questions.length === count) break;
    }
    return { id, folder: join(place.folder, "sessions", id), questions };
  }

  it("an answer is one message, however many programs write it", async () => {
    const lines: readonly ((id: string) => string)[] = [
      (id) => `{ /bin/echo -n 'approve '; /bin/echo ${id}; } > tools/approve`,
      (id) => `{ /bin/echo approve; /bin/echo ${id}; } > tools/approve`,
      (id) => `( /bin/echo -n approve; /bin/echo -n ' '; /bin/echo -n ${id} ) > tools/approve`,
      (id) => `exec 3> tools/approve; echo -n 'approve ' >&3; echo ${id} >&3; exec 3>&-`,
      (id) => `exec 3> tools/approve; /bin/echo -n 'approve ' >&3; /bin/echo ${id} >&3; exec 3>&-`,
    ];
    for (const [at, line] of lines.entries()) {
      const { id, folder, questions } = await asking(2, { tools: [bash(`echo 1 > a${at}`), bash(`echo 2 > b${at}`)] });
      const named = questions.find(({ input }) => input["command"] === `echo 2 > b${at}`)?.id ?? "";
      await ok(folder, "cat tools/pending > /dev/null");
      await ok(folder, line(named));
      for await (const frame of app.client.watch(id))
        if (frame.type === "approval.resolved") {
          expect([line(""), frame.approval_id]).toEqual([line(""), named]);
          break;
        }
      expect(await written(`a${at}`)).toBe("(absent)");
      await ok(folder, "echo stop > ctl");
    }
  });

  it("a prompt is one message, however many programs write it, and has no place to seek to", async () => {
    const id = await newSession(place.folder, { model: "sim" });
    const folder = join(place.folder, "sessions", id);
    await ok(folder, "{ /bin/echo 'Do not delete'; /bin/echo 'anything at all'; } > prompt");
    await ok(folder, "cat output > /dev/null");
    const { events } = await app.client.events(id);
    expect(events.flatMap((event) => (event.type === "turn.started" ? [event.prompt.text] : []))).toEqual([
      "Do not delete\nanything at all",
    ]);
    const seeking = `python3 -c "import os; os.pwrite(os.open('prompt', os.O_WRONLY), b'second', 6)"`;
    expect((await shell(folder, seeking)).stderr).toContain("Illegal seek");
  });

  it("a question counts as shown when it was read to its end, and to the user who read it", async () => {
    const { folder } = await asking(1, bash("echo 1 > seen"));
    const answer = async (by: string): Promise<string> =>
      (await shell(folder, `${by} /bin/bash --norc -c '/bin/echo approve > tools/approve && /bin/echo taken >&2'`))
        .stderr;
    const unread = [
      "exec 3< tools/pending; exec 3<&-",
      "head -c 20 tools/pending > /dev/null",
      "dd if=tools/pending of=/dev/null bs=1 skip=30 status=none",
      "ls -l tools; stat status tools/pending",
      `${NOBODY} cat tools/pending status > /dev/null`,
    ];
    for (const line of unread) {
      await ok(folder, line);
      expect([line, await answer("env")]).toEqual([line, STALE]);
    }
    expect(await shell(place.folder, "cat error")).toMatchObject({ stdout: expect.stringContaining("tools/approve") });
    expect(await shell(place.folder, `${NOBODY} cat error`)).toMatchObject({ code: 0, stdout: "" });
    expect(await written("seen")).toBe("(absent)");
    expect(await answer(NOBODY)).toBe("taken\n");
    await ok(folder, "cat output > /dev/null");
    expect(await written("seen")).toBe("1\n");
  });
});
