import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChangeList } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const RECORDED = { SALLYPORT_RECORD_FILES: "on" } as const;

const write = (name: string): string =>
  script({ tool: "Write", input: { file_path: name, content: `${name}\n` } }, { say: "Done." });

async function begin(app: TestApp, name: string): Promise<string> {
  const { session, events } = await runScript(app.client, { prompt: { text: write(name) } }, approveWith(app.client));
  expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  return session.id;
}

async function goOn(app: TestApp, id: string, name: string): Promise<void> {
  const { seq } = await app.client.session(id);
  await app.client.prompt(id, { text: write(name) });
  await untilTurnEnds(app.client, id, { after: seq, answer: approveWith(app.client) });
}

const pathsOf = ({ files }: ChangeList): readonly string[] => files.map(({ path }) => path);

it("what could not be recorded is said, also after a restart; recording begins when the disk takes it, and says from when", async () => {
  await using app = await openTestApp(RECORDED);
  const recordings = join(app.place.home, "recordings");
  await rm(recordings, { recursive: true, force: true });
  // Nothing can be written below it.
  await writeFile(recordings, "");
  const id = await begin(app, "one.txt");
  const first = await app.client.changes(id);
  expect([pathsOf(first), first.unknown]).toEqual([[], expect.stringContaining("is not known")]);
  await app.restart();
  const second = await app.client.changes(id);
  expect([pathsOf(second), second.unknown]).toEqual([
    [],
    "What the session changed is not known: nothing was recorded",
  ]);
  await rm(recordings);
  await goOn(app, id, "two.txt");
  const third = await app.client.changes(id);
  expect([pathsOf(third), third.unknown]).toEqual([
    ["two.txt"],
    expect.stringContaining("what the session changed before that could not be recorded"),
  ]);
  await app.restart();
  expect((await app.client.changes(id)).unknown).toBe(third.unknown);
});

it("is tried again at the next turn of the same server", async () => {
  await using app = await openTestApp(RECORDED);
  const recordings = join(app.place.home, "recordings");
  await rm(recordings, { recursive: true, force: true });
  await writeFile(recordings, "");
  const id = await begin(app, "one.txt");
  await rm(recordings);
  await goOn(app, id, "two.txt");
  expect(pathsOf(await app.client.changes(id))).toEqual(["two.txt"]);
});

describe("a recording goes on after the machine died", () => {
  it.each([
    ["with git's lock", (folder: string) => writeFile(join(folder, "index.lock"), "")],
    ["with half an index", (folder: string) => truncate(join(folder, "index"), 40)],
    ["with an empty HEAD", (folder: string) => truncate(join(folder, "HEAD"), 0)],
  ])("%s", async (_what, damage) => {
    await using app = await openTestApp(RECORDED);
    const id = await begin(app, "one.txt");
    // Its end was recorded, too.
    expect(pathsOf(await app.client.changes(id))).toEqual(["one.txt"]);
    await app.stop();
    await damage(join(app.place.home, "recordings", id));
    await app.restart();
    await goOn(app, id, "two.txt");
    expect(pathsOf(await app.client.changes(id))).toEqual(["one.txt", "two.txt"]);
  });

  it("with half a list of moments: it says from when it knows", async () => {
    await using app = await openTestApp(RECORDED);
    const id = await begin(app, "one.txt");
    expect(pathsOf(await app.client.changes(id))).toEqual(["one.txt"]);
    await app.stop();
    await truncate(join(app.place.home, "recordings", id, "recording.json"), 20);
    await app.restart();
    expect((await app.client.changes(id)).unknown).toContain("is not known");
    await goOn(app, id, "two.txt");
    const { files, unknown } = await app.client.changes(id);
    expect([files.map(({ path }) => path), unknown]).toEqual([
      ["two.txt"],
      expect.stringContaining("before that could not be recorded"),
    ]);
  });
});
