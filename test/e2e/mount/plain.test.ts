import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MountClient } from "../../../src/client/index.ts";
import { LIMITS } from "../../../src/protocol/index.ts";
import { shell } from "../../support/fuse.ts";
import { openTestApp, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { has } from "../../support/programs.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { ok, sim, startMount, type MountProcess } from "./world.ts";

const COPIED = ["status", "response", "output", "context", "usage"] as const;
const until = (what: string): string => `until ${what}; do sleep 0.05; done`;

describe("a plain folder instead of a mount", () => {
  let app: TestApp;
  let root: string;
  let folder: string;
  let mount: MountProcess;

  const start = (): Promise<MountProcess> =>
    startMount({ url: app.serving.url, token: TEST_TOKEN, folder, words: ["--plain"] });

  beforeAll(async () => {
    app = await openTestApp();
    root = await mkdtemp(join(tmpdir(), "sallyport-plain-"));
    folder = join(root, "claude");
    mount = await start();
  });

  afterAll(async () => {
    await mount.end("SIGKILL");
    await rm(root, { recursive: true, force: true });
    await app[Symbol.asyncDispose]();
  });

  it("create, follow, approve, fork and stop with ordinary files and pipes", async () => {
    const file_path = join(app.place.workspace, "plain.txt");
    const prompt = sim({ tool: "Write", input: { file_path, content: "plain\n" } }, { say: "Written." });
    await ok(folder, `echo '${JSON.stringify({ model: "sim" })}' > new; ${until("test -s new.answer")}`);
    const { session_id } = JSON.parse(await ok(folder, "cat new.answer")) as { session_id: string };
    const session = join(folder, "sessions", session_id);
    expect(readdirSync(session)).toEqual(
      expect.arrayContaining(["context", "ctl", "fork", "output", "prompt", "status", "tools", "usage"]),
    );
    for (const name of ["prompt", "ctl", "fork", "tools/approve"])
      expect([name, statSync(join(session, name)).isFIFO()]).toEqual([name, true]);
    const tail = shell(session, "tail -n +1 -f -s 0.05 output | sed '/^Written/q'");
    await ok(session, `cat > prompt <<'END'\n${prompt}\nEND`);
    await ok(session, until("grep -qs pending_approval status"));
    await ok(session, `${until("grep -qs Write tools/pending")}; echo approve > tools/approve`);
    // Nobody knows who has read the file: an answer names its question.
    await ok(session, until("grep -qs 'name the question' error"));
    const [{ request_id } = { request_id: "" }] = JSON.parse(
      await readFile(join(session, "tools/pending"), "utf8"),
    ) as readonly { request_id: string }[];
    await ok(session, `echo approve ${request_id} > tools/approve`);
    expect((await tail).stdout).toBe(`[Write] ${file_path} → completed\nWritten.\n`);
    expect(await readFile(file_path, "utf8")).toBe("plain\n");
    await ok(session, until("grep -qs Written response"));
    await ok(session, `echo '{}' > fork; ${until("test -s fork.answer")}`);
    const forked = (JSON.parse(await ok(session, "cat fork.answer")) as { session_id: string }).session_id;
    expect(statSync(join(folder, "sessions", forked, "prompt")).isFIFO()).toBe(true);
    await ok(session, `echo fly > ctl; ${until("grep -qs 'unknown command' error")}`);
    await ok(session, `echo stop > ctl; ${until("grep -qs complete status")}`);
  });

  it.skipIf(!has("rsync"))(
    "rsync and tar copy what the files say; what is too long is told in error",
    async () => {
      const { id } = await app.client.createSession({ model: "sim", prompt: { text: sim({ say: "Grüße." }) } });
      const session = join(folder, "sessions", id);
      // All of the turn is in the files: what still changes would be another thing in each copy.
      await untilTurnEnds(app.client, id);
      const http = new MountClient({ url: app.serving.url, token: TEST_TOKEN });
      for (const name of COPIED) {
        const said = Buffer.from(await http.read(`/claude/sessions/${id}/${name}`)).toString();
        await expect.poll(() => readFile(join(session, name), "utf8").catch(() => undefined)).toBe(said);
      }
      await ok(root, `rsync -a ${session}/ copy/ && mkdir packed && tar cf - -C ${session} . | tar xf - -C packed`);
      for (const name of COPIED) {
        const said = await readFile(join(session, name), "utf8");
        const copies = await Promise.all(["copy", "packed"].map((where) => readFile(join(root, where, name), "utf8")));
        expect([name, ...copies]).toEqual([name, said, said]);
      }
      const characters = LIMITS.promptChars + 1;
      await ok(
        session,
        `head -c ${characters} /dev/zero | tr '\\0' x > prompt; ${until("grep -qs 'must have at most' error")}`,
      );
    },
    60_000,
  );

  it("leaves nothing when it ends, and cleans up after one that was killed", async () => {
    expect(await mount.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await readdir(folder)).toEqual([]);
    mount = await start();
    await mount.end("SIGKILL");
    expect(existsSync(join(folder, "new"))).toBe(true);
    mount = await start();
    expect(statSync(join(folder, "new")).isFIFO()).toBe(true);
    await mount.end("SIGINT");
    await writeFile(join(folder, "mine"), "");
    await expect(start()).rejects.toThrow("is not empty");
    await rm(join(folder, "mine"));
    mount = await start();
  });
});
