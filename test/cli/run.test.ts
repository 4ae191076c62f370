import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JournalEvent, StreamFrame } from "../../src/protocol/index.ts";
import { Place, script } from "./place.ts";

const WRITE = { tool: "Write", input: { file_path: "a.txt", content: "hello\n" } };

function framesOf(text: string): readonly StreamFrame[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as StreamFrame);
}

function eventsOf(text: string): readonly JournalEvent[] {
  return framesOf(text).filter((frame) => "seq" in frame);
}

describe("sallyport run, without a server and without a terminal", () => {
  test("the agent's words go to standard output, everything else beside it", async () => {
    await using place = new Place();
    const task = script([{ say: "I write." }, WRITE, { say: "Done.\nReally." }]);
    const { code, stdout, stderr } = await place.start(["run", task, "--autonomy", "full"]).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I write.\nDone.\nReally.\n" });
    expect(stderr).toMatch(
      /^✓ Write a\.txt · \+1 −0 · \d+ ms\n[\d,]+ tokens in, \d+ out, 2 model calls · [\d.]+ m?s · session (ses_\w+) · go on: sallyport run --resume \1 "…"\n$/,
    );
    expect(place.read("a.txt")).toBe("hello\n");
    expect(place.read(".sallyport/server.json")).toBeUndefined();
  });

  test("--json: every journaled event, in order, and nothing else", async () => {
    await using place = new Place();
    const { code, stdout } = await place.run(["run", script([{ say: "Hi there." }]), "--json"]);
    const events = eventsOf(stdout);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type).filter((type) => !type.startsWith("item."))).toEqual([
      "thread.started",
      "session.updated",
      "turn.started",
      "session.updated",
      "usage.updated",
      "turn.completed",
    ]);
    const id = events[0]?.session_id ?? "";
    const again = await place.run(["run", script([{ say: "Again." }]), "--resume", id, "--json", "--deltas"]);
    const frames = framesOf(again.stdout);
    const text = frames.flatMap((frame) =>
      frame.type === "item.delta" && frame.field === "text" ? [frame.delta] : [],
    );
    expect(text.join("")).toBe("Again.");
    expect(frames.find((frame) => "seq" in frame)).toMatchObject({
      seq: events.length + 2,
      type: "turn.started",
      session_id: id,
    });
  });

  test("a resumed session with another setting is a fork, and shows only what is new", async () => {
    await using place = new Place();
    const first = eventsOf((await place.run(["run", script([{ say: "One." }]), "--json"])).stdout);
    const id = first[0]?.session_id ?? "";
    const { stdout } = await place.run([
      "run",
      script([{ say: "Two." }]),
      "--resume",
      id,
      "--max-turns",
      "3",
      "--json",
    ]);
    const events = eventsOf(stdout);
    expect(events[0]).toMatchObject({ type: "session.updated", forked_from: { session_id: id } });
    expect(events[0]?.session_id).not.toBe(id);
    expect(events.filter(({ type }) => type === "turn.completed").length).toBe(1);
  });

  test("an approval is answered from another process", async () => {
    await using place = new Place();
    const running = place.startHere(["run", script([WRITE, { say: "Done." }])]);
    await running.reads("? Write waits for a person: ");
    await running.reads("answer it with: sallyport approve apr_");
    const id = /apr_\w+/.exec(running.text)?.[0] ?? "";
    const list = await place.run(["approve"]);
    expect(list.stdout).toMatch(
      new RegExp(`^${id}  Write  [45]:\\d\\d left  session ses_\\w+\n  ${place.folder}/a.txt  NEW  \\+1 −0\n$`),
    );
    const shown = await place.run(["approve", id, "--show"]);
    expect(shown.stdout).toContain("@@ -0,0 +1 @@\n+hello\n");
    expect(place.read("a.txt")).toBeUndefined();
    const approved = await place.start(["approve", id]).ended;
    expect([approved.code, approved.stdout.endsWith(`${id} is approved\n`)]).toEqual([0, true]);
    expect((await running.ended).code).toBe(0);
    expect(running.stderr).toContain("approved by first admin\n");
    expect(place.read("a.txt")).toBe("hello\n");
    const twice = await place.run(["approve", id]);
    expect([twice.code, twice.stderr]).toEqual([2, "error: this approval is approved (first admin)\n"]);
  });

  test("an approval is answered with another input, and for the session", async () => {
    await using place = new Place();
    place.write("input.json", JSON.stringify({ file_path: "b.txt", content: "other\n" }));
    const second = { tool: "Bash", input: { command: "echo one" } };
    const third = { tool: "Bash", input: { command: "echo one" } };
    const running = place.startHere(["run", script([WRITE, second, third])]);
    await running.reads("approve apr_");
    const edited = await place.run(["approve", /apr_\w+/.exec(running.text)?.[0] ?? "", "--input", "input.json"]);
    expect(edited.stdout).toContain("with the given input:");
    await running.reads("? Bash waits");
    await running.reads("approve apr_");
    const ids = running.text.match(/apr_\w+/g) ?? [];
    const granted = await place.run(["approve", ids.at(-1) ?? "", "--session", "--yes"]);
    expect(granted.code).toBe(0);
    expect((await running.ended).code).toBe(0);
    expect(running.stderr).toContain("from now on without asking: Bash(echo one)");
    expect([place.read("a.txt"), place.read("b.txt")]).toEqual([undefined, "other\n"]);
  });

  test("an approval outlives its process, and is answered without one", async () => {
    await using place = new Place();
    const running = place.start(["run", script([WRITE, { say: "Done." }]), "--unattended", "park"]);
    await running.reads("approve apr_");
    running.signal("SIGKILL");
    expect((await running.ended).code).toBe("SIGKILL");
    const list = await place.run(["approve"]);
    const id = /apr_\w+/.exec(list.stdout)?.[0] ?? "";
    expect(running.text).toContain(id);
    const approved = await place.run(["approve", id]);
    expect(approved.code).toBe(0);
    expect(place.read("a.txt")).toBe("hello\n");
    const { stdout } = await place.run(["sessions", "--json"]);
    expect((JSON.parse(stdout) as { sessions: { status: string }[] }).sessions.map(({ status }) => status)).toEqual([
      "idle",
    ]);
  });

  test("a process that serves another one's turn stays until it has ended", async () => {
    await using place = new Place();
    const first = place.start(["run", script([WRITE])]);
    await first.reads("approve apr_");
    const wait = { tool: "Bash", input: { command: "while [ ! -e go ]; do sleep 0.02; done; echo gone" } };
    const second = place.startHere(["run", script([wait, { say: "Second." }]), "--autonomy", "full"]);
    await second.reads("$ while");
    await place.run(["approve", /apr_\w+/.exec(first.text)?.[0] ?? ""]);
    await first.reads("still works in this process; it is waited for");
    place.write("go", "");
    const ended = await second.ended;
    expect([ended.code, ended.stdout]).toEqual([0, "Second.\n"]);
    expect((await first.ended).code).toBe(0);
  });

  test("rejected and stopped: exit code 3, and the model was not asked again", async () => {
    await using place = new Place();
    const running = place.startHere(["run", script([WRITE, { say: "never" }])]);
    await running.reads("approve apr_");
    const id = /apr_\w+/.exec(running.text)?.[0] ?? "";
    await place.run(["approve", id, "--reject", "--stop", "--feedback", "wrong file"]);
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("rejected by first admin: wrong file\n");
  });

  test("nobody answers: exit code 4", async () => {
    await using place = new Place();
    mkdirSync(join(place.folder, ".sallyport"), { mode: 0o700 });
    place.write(
      ".sallyport/policy.yaml",
      "default_profile: quick\nprofiles:\n  quick:\n    approval_timeout_ms: 1000\n",
    );
    const { code, stdout, stderr } = await place.run(["run", script([WRITE, { say: "Well." }])]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "Well.\n" });
    expect(stderr).toContain("nobody answered in time, so it was not run\n");
  });

  test("--timeout interrupts: exit code 4", async () => {
    await using place = new Place();
    const { code, stderr } = await place.run([
      "run",
      script([{ delay_ms: 60_000 }, { say: "late" }]),
      "--timeout",
      "1",
    ]);
    expect(code).toBe(4);
    expect(stderr).toContain("1.0 s are over; interrupting\n");
  });

  test("Ctrl-C once: the turn ends, the session goes on", async () => {
    await using place = new Place();
    const running = place.startHere(["run", script([{ say: "Begun." }, { delay_ms: 60_000 }, { say: "late" }])]);
    await running.reads("Begun.");
    running.signal("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("… interrupting; Ctrl-C again leaves, the session stays\n… the turn was interrupted\n");
    const id = /ses_\w+/.exec(stderr)?.[0] ?? "";
    const again = await place.run(["run", script([{ say: "Still here." }]), "--resume", id]);
    expect([again.code, again.stdout]).toEqual([0, "Still here.\n"]);
  });

  test("SIGTERM leaves at once; nothing is taken up again by the next command", async () => {
    await using place = new Place();
    const running = place.start(["run", script([WRITE])]);
    await running.reads("approve apr_");
    running.signal("SIGTERM");
    expect((await running.ended).code).toBe(143);
    const { stdout } = await place.run(["sessions", "--json"]);
    expect((JSON.parse(stdout) as { sessions: { status: string }[] }).sessions.map(({ status }) => status)).toEqual([
      "idle",
    ]);
  });

  test("a stack is shown to who asks for it", async () => {
    await using place = new Place();
    const { stderr } = await place.run(["sessions", "show", "ses_none"], { SALLYPORT_DEBUG: "1" });
    expect(stderr).toMatch(/\n\s+at /);
  });

  test("a model that fails: exit code 1, with its words", async () => {
    await using place = new Place();
    const { code, stderr } = await place.run(["run", script([{ error: { status: 400 } }])]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^✗ the turn failed: .+ \(\w+\)\n/);
  });

  test("images are known by what they hold", async () => {
    await using place = new Place();
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    place.write("picture.txt", "");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(place.folder, "picture.png"), png);
    const good = await place.run(["run", script([{ say: "Seen." }]), "--attach-image", "picture.png", "--json"]);
    const turn = eventsOf(good.stdout).find(({ type }) => type === "turn.started");
    expect(turn).toMatchObject({
      prompt: {
        attachments: [{ type: "image", media_type: "image/png", data: png.toString("base64"), name: "picture.png" }],
      },
    });
    const bad = await place.run(["run", "look", "--attach-image", "picture.txt"]);
    expect([bad.code, bad.stderr]).toEqual([2, "error: picture.txt is not a PNG, JPEG, GIF or WebP image\n"]);
    const missing = await place.run(["run", "look", "--attach-image", "none.png"]);
    expect([missing.code, missing.stderr]).toEqual([2, `error: ${join(place.folder, "none.png")} does not exist\n`]);
  });

  test("commands, todo lists and sub-agents as a person reads them", async () => {
    await using place = new Place();
    const todos = [
      { content: "one", status: "completed" },
      { content: "two", status: "in_progress", activeForm: "doing two" },
      { content: "three", status: "pending" },
    ];
    const task = {
      description: "look around",
      prompt: script([{ tool: "Glob", input: { pattern: "*.none" } }, { say: "Nothing here." }]),
    };
    const steps = [
      { tool: "TodoWrite", input: { todos } },
      { tool: "Bash", input: { command: "seq 1 20; exit 3" } },
      { tool: "Task", input: task },
      { say: "End." },
    ];
    const { code, stderr } = await place.run(["run", script(steps), "--autonomy", "full"]);
    const lines = stderr.replaceAll(/[\d.]+ m?s\b/g, "T").split("\n");
    expect([code, lines.slice(0, -2)]).toEqual([
      0,
      [
        "✓ TodoWrite 3 items · T",
        "  ☑ one",
        "  ▶ doing two",
        "  ☐ three",
        "$ seq 1 20; exit 3",
        ...Array.from({ length: 10 }, (_, index) => `  │ ${index + 1}`),
        "  │ … 5 more lines",
        ...Array.from({ length: 5 }, (_, index) => `  │ ${index + 16}`),
        "✗ Bash seq 1 20; exit 3 · exit 3 · T",
        "▸ Task look around",
        "  ✓ Glob *.none · 1 line · T",
        "  Nothing here.",
        "✓ Task look around · T",
      ],
    ]);
  });
});
