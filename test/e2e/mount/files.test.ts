import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MountClient } from "../../../src/client/index.ts";
import { describeWithFuse, MountPlace, shell } from "../../support/fuse.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { newSession, ok, sim, startMount, type MountProcess } from "./world.ts";

describeWithFuse("agents as files", () => {
  let app: TestApp;
  let place: MountPlace;
  let mount: MountProcess;
  let http: MountClient;

  beforeAll(async () => {
    app = await openTestApp();
    place = new MountPlace();
    mount = await startMount({ url: app.serving.url, token: TEST_TOKEN, folder: place.folder });
    http = new MountClient({ url: app.serving.url, token: TEST_TOKEN });
  });

  afterAll(async () => {
    await mount.end("SIGKILL");
    place.remove();
    await app[Symbol.asyncDispose]();
  });

  it("has the tree of document 003", async () => {
    expect((await ok(place.folder, "ls")).split("\n").filter(Boolean)).toEqual(
      ["auth", "error", "new", "policy", "pool", "providers", "proxy", "sessions", "usage", "workers"].sort(),
    );
    const id = await newSession(place.folder, { model: "sim" });
    expect(await ok(place.folder, `cd sessions/${id}; echo *; echo tools/*`)).toBe(
      "changes context ctl error fork output prompt response response.json status tools usage\ntools/approve tools/log tools/pending\n",
    );
    expect(await ok(place.folder, `stat -c '%A %n' new policy usage sessions/${id}/prompt`)).toBe(
      `-rw------- new\n-rw------- policy\n-r-------- usage\n--w------- sessions/${id}/prompt\n`,
    );
  });

  it("says byte for byte what HTTP says", async () => {
    const id = await newSession(place.folder, { model: "sim", initial_prompt: sim({ say: "Grüße." }) });
    expect(await ok(place.folder, `cat sessions/${id}/output`)).toBe("Grüße.\n");
    const files = ["status", "response", "response.json", "output", "context", "usage", "tools/log", "tools/pending"];
    for (const file of [
      ...files.map((name) => `sessions/${id}/${name}`),
      "policy",
      "usage",
      "auth/tunnels",
      "pool/status",
    ]) {
      const direct = Buffer.from(await http.read(`/claude/${file}`)).toString();
      expect([file, await ok(place.folder, `cat ${file}`)]).toEqual([file, direct]);
    }
  });

  it("create, watch, approve twice, fork, bill: document 003's examples", async () => {
    const file_path = join(app.place.workspace, "made.txt");
    const prompt = sim(
      { say: "I look." },
      { tool: "Write", input: { file_path, content: "made\n" } },
      { tool: "Bash", input: { command: "touch made.txt" } },
      { say: "Both done." },
    );
    const request = {
      model: "sim",
      system_prompt: "You are a helpful coding assistant.",
      max_cost_usd: 5_000_000,
      autonomy: "supervised",
    };
    const id = await newSession(place.folder, { ...request, idempotency_key: "review_session_123" });
    expect(await newSession(place.folder, { ...request, idempotency_key: "review_session_123" })).toBe(id);
    const folder = join(place.folder, "sessions", id);
    await ok(folder, 'until grep -q \'"status": "ready"\' status; do sleep 0.05; done');
    const watched = shell(folder, "cat output");
    await ok(folder, `cat > prompt <<'END'\n${prompt}\nEND`);
    const approve =
      "until grep -q pending_approval status; do sleep 0.05; done; cat tools/pending; echo '{ \"approved\": true }' > tools/approve";
    const first = JSON.parse(await ok(folder, approve)) as object[];
    await ok(folder, 'until ! grep -q \'"tool": "Write"\' status; do sleep 0.05; done');
    const second = JSON.parse(await ok(folder, approve.replace("'{ \"approved\": true }'", "approve"))) as object[];
    expect([first, second]).toMatchObject([
      [{ tool: "Write", params: { file_path } }],
      [{ tool: "Bash", params: { command: "touch made.txt" } }],
    ]);
    expect(await watched).toEqual({
      code: 0,
      stdout: `I look.\n[Write] ${file_path} → completed\n[Bash] touch made.txt → completed\nBoth done.\n`,
      stderr: "",
    });
    expect(await readFile(file_path, "utf8")).toBe("made\n");
    expect(
      (await ok(folder, "cat tools/log")).split("\n").filter((line) => line.includes('"approved":true')),
    ).toHaveLength(2);

    await ok(folder, "echo '{}' > fork");
    const forked = (JSON.parse(await ok(folder, "cat fork")) as { session_id: string }).session_id;
    expect(await ok(place.folder, "ls sessions")).toContain(forked);
    const beside = join(place.folder, "sessions", forked);
    await ok(beside, `cat > prompt <<'END'\n${sim({ say: "Another way." })}\nEND`);
    expect(await ok(beside, "cat output")).toContain("Another way.\n");
    expect(await ok(beside, "cat response")).toBe("Another way.\n");

    expect(JSON.parse(await ok(place.folder, "cat auth/tunnels"))).toEqual([]);
    expect(JSON.parse(await ok(folder, "cat usage"))).toMatchObject({ session_id: id, cost_usd: 0 });
    await ok(folder, "echo stop > ctl");
    expect(await ok(folder, "cat status")).toContain('"status": "complete"');
  });

  it("gives the last answer of `new` to whoever reads it after, and none after a refusal", async () => {
    const id = await newSession(place.folder, { model: "sim" });
    expect(JSON.parse(await ok(place.folder, "cat new"))).toMatchObject({ session_id: id });
    expect(await shell(place.folder, "/bin/echo '{\"model\":' > new")).toMatchObject({
      code: 1,
      stderr: "/bin/echo: write error: Invalid argument\n",
    });
    expect(await ok(place.folder, "cat new; cat error")).toContain("/new: invalid request:");
  });

  it("refuses with the right errno, and says why in error", async () => {
    const id = await newSession(place.folder, { model: "sim" });
    const folder = join(place.folder, "sessions", id);
    await ok(folder, 'until grep -q \'"status": "ready"\' status; do sleep 0.05; done');
    const refusals: readonly (readonly [line: string, words: string])[] = [
      ["/bin/echo fly > ctl", "Invalid argument"],
      ["/bin/echo approve > tools/approve", "Device or resource busy|No such file or directory|Invalid argument"],
      ["cat response", "Resource temporarily unavailable"],
      ["cat prompt", "Permission denied"],
      ["cat ../ses_unknown/status", "No such file or directory"],
      ["/bin/echo x > status", "Permission denied"],
    ];
    for (const [line, words] of refusals) {
      const { code, stderr } = await shell(folder, line);
      expect([line, code, stderr]).toEqual([line, 1, expect.stringMatching(words)]);
    }
    expect((await shell(folder, "head -c 8000001 /dev/zero > prompt")).stderr).toContain("File too large");
    expect(await ok(folder, "cat status")).toContain('"status": "ready"');
    await shell(folder, "echo fly > ctl");
    expect(await ok(folder, "cat error")).toContain("unknown command");
    await ok(folder, "echo stop > ctl");
    expect((await shell(folder, "/bin/echo hello > prompt")).stderr).toBe("/bin/echo: write error: Broken pipe\n");
    expect(await ok(folder, "cat error")).not.toBe("");
  });

  it("tail -f goes on from prompt to prompt, and a message shows while it is written", async () => {
    const id = await newSession(place.folder, { model: "sim", initial_prompt: sim({ say: "One." }) });
    const folder = join(place.folder, "sessions", id);
    await ok(folder, "cat output");
    const tail = spawn("/usr/bin/tail", ["-f", "-s", "0.1", join(folder, "output")]);
    let shown = "";
    const told = new Promise<void>((resolve) => {
      tail.stdout.setEncoding("utf8").on("data", (text: string) => {
        shown += text;
        if (shown.includes("Three.")) resolve();
      });
    });
    await ok(folder, `cat > prompt <<'END'\n${sim({ say: "Two." })}\nEND`);
    await ok(folder, "cat output");
    await ok(folder, `cat > prompt <<'END'\n${sim({ say: "Three." }, { delay_ms: 60_000 })}\nEND`);
    await told;
    tail.kill();
    expect(shown).toBe("One.\nTwo.\nThree.");
    await ok(folder, "echo interrupt > ctl; cat output");
  });

  it("16 readers see the same bytes, over files and HTTP", async () => {
    const steps = Array.from({ length: 6 }, (_, index) => [
      { stream: { tokens: 60, per_second: 400 } },
      { tool: "Glob", input: { pattern: `*.${index}` } },
    ]).flat();
    const id = await newSession(place.folder, { model: "sim" });
    const output = `sessions/${id}/output`;
    const readers = Array.from({ length: 16 }, () => shell(place.folder, `cat ${output}`));
    const followed = collect(http.follow(`/claude/${output}`, { until: "idle", offset: 0 }));
    await ok(join(place.folder, "sessions", id), `cat > prompt <<'END'\n${sim(...steps)}\nEND`);
    const seen = new Set((await Promise.all(readers)).map(({ stdout }) => stdout));
    seen.add(await ok(place.folder, `cat ${output}`));
    seen.add(Buffer.from(await http.read(`/claude/${output}`)).toString());
    await followed;
    expect([seen.size, [...seen][0]?.length]).toEqual([1, expect.any(Number)]);
    expect([...seen][0]?.match(/\[Glob\]/g)).toHaveLength(6);
  });

  it("a viewer's mount can write nothing", async () => {
    const id = await newSession(place.folder, { model: "sim" });
    const { token } = await app.as("viewer");
    const other = new MountPlace();
    const theirs = await startMount({ url: app.serving.url, token, folder: other.folder });
    try {
      expect(await ok(other.folder, `stat -c %A new policy sessions/${id}/prompt sessions/${id}/tools/approve`)).toBe(
        "----------\n-r--------\n----------\n----------\n",
      );
      for (const file of [
        "new",
        "policy",
        `sessions/${id}/prompt`,
        `sessions/${id}/ctl`,
        `sessions/${id}/tools/approve`,
      ])
        expect((await shell(other.folder, `/bin/echo x > ${file}`)).stderr).toContain("Permission denied");
      expect(await ok(other.folder, `cat sessions/${id}/status`)).toContain(id);
    } finally {
      await theirs.end("SIGTERM");
      other.remove();
    }
  });
});

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts).toString();
}
