import { constants } from "node:fs";
import { mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MountClient } from "../../../src/client/index.ts";
import { LIMITS } from "../../../src/protocol/index.ts";
import { describeWithFuse, MountPlace, shell } from "../../support/fuse.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { has } from "../../support/programs.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { newSession, ok, sim, startMount, type MountProcess } from "./world.ts";

/** Files of a finished session whose content stays as it is. */
const FIXED = ["status", "response", "response.json", "output", "context", "usage", "tools/log", "tools/pending"];

describeWithFuse("sizes that programs can trust", () => {
  let app: TestApp;
  let place: MountPlace;
  let mount: MountProcess;
  let http: MountClient;
  let scratch: string;
  let folder: string;
  let id: string;
  const contents = new Map<string, string>();

  beforeAll(async () => {
    app = await openTestApp();
    place = new MountPlace();
    scratch = await mkdtemp(join(tmpdir(), "sallyport-sizes-"));
    mount = await startMount({ url: app.serving.url, token: TEST_TOKEN, folder: place.folder });
    http = new MountClient({ url: app.serving.url, token: TEST_TOKEN });
    const lines = (from: number): string =>
      Array.from({ length: 1_200 }, (_, index) => `Grüße aus Zeile ${from + index}`).join("\n");
    const parts = [0, 1, 2, 3, 4].flatMap((part) => [
      { say: lines(part * 1_200) },
      { tool: "Glob", input: { pattern: "*" } },
    ]);
    const initial_prompt = sim(...parts, { say: "Done, all of it." });
    const made = await http.call("/claude/new", JSON.stringify({ model: "sim", initial_prompt }));
    id = (JSON.parse(Buffer.from(made).toString()) as { session_id: string }).session_id;
    folder = join(place.folder, "sessions", id);
    await ok(folder, "cat output > /dev/null; echo stop > ctl");
    for (const file of FIXED)
      contents.set(file, Buffer.from(await http.read(`/claude/sessions/${id}/${file}`)).toString());
  });

  afterAll(async () => {
    await mount.end("SIGKILL");
    place.remove();
    await rm(scratch, { recursive: true, force: true });
    await app[Symbol.asyncDispose]();
  });

  const bytes = (file: string): number => Buffer.byteLength(contents.get(file) ?? "");

  it("stat, perl -s, find -size, du and test -s see the real length; HTTP says the same", async () => {
    for (const file of FIXED) {
      const size = bytes(file);
      expect([file, await ok(folder, `stat -c %s ${file}`)]).toEqual([file, `${size}\n`]);
      expect([file, await ok(folder, `perl -e 'print -s "${file}"'`)]).toEqual([file, String(size)]);
      expect([file, await ok(folder, `find ${file} -size ${size}c`)]).toEqual([file, `${file}\n`]);
      expect([file, await ok(folder, `du --apparent-size -b ${file}`)]).toEqual([file, `${size}\t${file}\n`]);
      expect([file, (await shell(folder, `test -s ${file}`)).code]).toEqual([file, size === 0 ? 1 : 0]);
      const stat = await http.stat(`/claude/sessions/${id}/${file}`);
      expect([file, stat.size]).toEqual([file, size]);
    }
    expect([bytes("output") > 100_000, contents.get("output")?.slice(-9)]).toEqual([true, "l of it.\n"]);
    expect(await ok(folder, "stat -c '%s %n' prompt ctl tools/approve error")).toBe(
      "0 prompt\n0 ctl\n0 tools/approve\n0 error\n",
    );
    await newSession(place.folder, { model: "sim" });
    expect(await ok(place.folder, "test $(stat -c %s new) = $(cat new | wc -c) && test -s new && echo same")).toBe(
      "same\n",
    );
  });

  it("a map of a file, tac, tail -c and a seek from the end have its content", async () => {
    const output = contents.get("output") ?? "";
    expect(await ok(folder, "tac output | tac")).toBe(output);
    expect(await ok(folder, "tail -c 9 output")).toBe(output.slice(-9));
    expect(await ok(folder, 'perl -e \'open F, "<", "output"; seek F, -9, 2; local $/; print <F>\'')).toBe(
      output.slice(-9),
    );
  });

  it.skipIf(!has("python3"))("private and shared maps to read have the content", async () => {
    for (const flags of ["MAP_PRIVATE", "MAP_SHARED"]) {
      const script = `import mmap, sys; f = open("output", "rb"); m = mmap.mmap(f.fileno(), 0, flags=mmap.${flags}, prot=mmap.PROT_READ); sys.stdout.buffer.write(m[:])`;
      expect([flags, await ok(folder, `python3 -c '${script}'`)]).toEqual([flags, contents.get("output")]);
    }
  });

  it.skipIf(!has("tar"))("tar packs what the files say", async () => {
    const archive = join(scratch, "all.tar");
    expect(await ok(folder, `tar cf ${archive} ${FIXED.join(" ")}`)).toBe("");
    for (const file of FIXED) expect(await ok(scratch, `tar xOf all.tar ${file}`)).toBe(contents.get(file));
  });

  it.skipIf(!has("rsync"))("rsync -a copies what the files say, and copies anew what has changed", async () => {
    const copy = join(scratch, "copy");
    const line = `rsync -a --exclude prompt --exclude ctl --exclude fork --exclude approve ${folder}/ ${copy}/`;
    await ok("/", line);
    for (const file of FIXED)
      expect([file, await readFile(join(copy, file), "utf8")]).toEqual([file, contents.get(file)]);
    expect((await readdir(copy)).toSorted()).toEqual(
      ["changes", "context", "error", "output", "response", "response.json", "status", "tools", "usage"].toSorted(),
    );
    // The second time everything is as it was: nothing is sent.
    expect(await ok("/", line.replace("-a", "-ai"))).toBe("");
    await shell(folder, "/bin/echo hello > prompt");
    const error = await ok(folder, "cat error");
    expect(error).not.toBe("");
    await ok("/", line);
    expect(await readFile(join(copy, "error"), "utf8")).toBe(error);
  });

  it("who has a file open sees the length of what it reads, whatever the file says meanwhile", async () => {
    const other = await newSession(place.folder, { model: "sim" });
    const status = join(place.folder, "sessions", other, "status");
    await ok(place.folder, `until grep -q '"status": "ready"' sessions/${other}/status; do sleep 0.05; done`);
    // Opened, asked and read by any thread of this process.
    const file = await open(status, "r");
    try {
      const before = (await file.stat()).size;
      await http.write(`/claude/sessions/${other}/ctl`, "stop");
      const now = Buffer.from(await http.read(`/claude/sessions/${other}/status`)).toString();
      const buffer = Buffer.alloc(10_000);
      const read = (await file.read(buffer, 0, buffer.length, 0)).bytesRead;
      expect([before, (await file.stat()).size, buffer.toString("utf8", 0, read)]).toEqual([
        read,
        read,
        expect.stringContaining('"status": "ready"'),
      ]);
      expect([Buffer.byteLength(now), now]).not.toEqual([before, expect.stringContaining("ready")]);
      // Whoever opens it anew, and whoever only asks, has the new one.
      expect(await ok(place.folder, `cat ${status}; stat -c %s ${status}`)).toBe(`${now}${Buffer.byteLength(now)}\n`);
    } finally {
      await file.close();
    }
  });

  it("a growing text has the size so far, and a read that does not wait gives EAGAIN at its end", async () => {
    const working = await newSession(place.folder, {
      model: "sim",
      initial_prompt: sim(
        { say: "First." },
        { tool: "Glob", input: { pattern: "*.none" } },
        { say: "Second." },
        { delay_ms: 600_000 },
      ),
    });
    const output = join(place.folder, "sessions", working, "output");
    await ok(place.folder, `until grep -q Second <(timeout 1 cat ${output}); do :; done`);
    const size = Number(await ok("/", `stat -c %s ${output}`));
    expect(size).toBeGreaterThanOrEqual(Buffer.byteLength("First.\n[Glob] *.none → completed\n"));
    const archive = `tar cf - -C ${join(output, "..")} output 2>/dev/null | tar xOf - | head -n 1`;
    expect(await ok("/", archive)).toBe("First.\n");

    const file = await open(output, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(10_000);
      let text = "";
      const readAll = async (): Promise<string> => {
        for (;;) {
          try {
            const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
            if (bytesRead === 0) return "end";
            text += buffer.toString("utf8", 0, bytesRead);
          } catch (error) {
            return (error as NodeJS.ErrnoException).code ?? "?";
          }
        }
      };
      expect([await readAll(), text]).toEqual(["EAGAIN", "First.\n[Glob] *.none → completed\nSecond."]);
      await http.write(`/claude/sessions/${working}/ctl`, "interrupt");
      for await (const _ of http.follow(`/claude/sessions/${working}/output`, { until: "idle" }));
      expect([await readAll(), text.startsWith("First.\n"), text.length > size]).toEqual(["end", true, true]);
      expect(await readFile(output, "utf8")).toBe(text);
    } finally {
      await file.close();
    }
  });

  it("asking for a size shows nobody a question", async () => {
    const asking = await newSession(place.folder, {
      model: "sim",
      autonomy: "supervised",
      initial_prompt: sim({ tool: "Bash", input: { command: "true" } }),
    });
    const session = join(place.folder, "sessions", asking);
    const path = `/claude/sessions/${asking}`;
    for await (const event of app.client.watch(asking)) if (event.type === "approval.requested") break;
    await ok(session, "ls -l . tools; stat status tools/pending; du -b .");
    expect((await shell(session, "/bin/echo approve > tools/approve")).stderr).toContain("Stale file handle");
    expect(Buffer.from(await http.read(`${path}/tools/pending`)).toString()).toContain('"tool": "Bash"');
    await ok(session, "cat tools/pending; echo reject > tools/approve; cat output");
  });

  it("what is too long is EFBIG, with words in error", async () => {
    const long = await newSession(place.folder, { model: "sim" });
    const session = join(place.folder, "sessions", long);
    const characters = LIMITS.promptChars + 1;
    for (const line of [`head -c ${characters} /dev/zero | tr '\\0' x > prompt`, "head -c 8000001 /dev/zero > prompt"])
      expect([line, (await shell(session, line)).stderr]).toEqual([line, expect.stringContaining("File too large")]);
    const request = `{ printf '{"model":"sim","initial_prompt":"'; head -c ${characters} /dev/zero | tr '\\0' x; printf '"}'; } | dd bs=1M of=new conv=notrunc`;
    expect((await shell(place.folder, request)).stderr).toContain("File too large");
    expect(await ok(place.folder, "cat error")).toContain("initial_prompt: must have at most");
  });
});
