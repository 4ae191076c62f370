import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionView, ShareCreated, ShareList } from "../../src/protocol/index.ts";
import { Place } from "./place.ts";

const place = new Place();
beforeAll(() => place.serve());
afterAll(() => place[Symbol.asyncDispose]());

const RECORD = [
  { type: "user", message: { content: "Which files?" }, timestamp: "2026-10-01T10:00:00Z", cwd: "/gone" },
  { type: "assistant", message: { content: [{ type: "text", text: "Only a.txt." }] } },
]
  .map((line) => JSON.stringify(line))
  .join("\n");

/** A record where Claude Code would have left it. */
async function record(name: string): Promise<string> {
  const folder = join(place.folder, "records");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.jsonl`);
  await writeFile(path, `${RECORD}\n`);
  return path;
}

async function imported(): Promise<string> {
  const { code, stdout } = await place.run(["import", await record("one")]);
  expect(code).toBe(0);
  return stdout.trim();
}

describe("sallyport import", () => {
  it("makes a session of a record, in the server's own folder where the recorded one is gone", async () => {
    const id = await imported();
    const { stdout } = await place.run(["sessions", "show", id, "--json"]);
    expect(JSON.parse(stdout) as SessionView).toMatchObject({
      turns: 1,
      title: "Which files?",
      settings: { workspace: place.folder },
    });
  });

  it("works in no folder that a record opens beyond one's own: not the machine, the system or the settings at home", async () => {
    const folder = join(place.folder, "mixed");
    const mine = join(place.folder, "app");
    await Promise.all([folder, mine, join(place.folder, ".ssh")].map((each) => mkdir(each, { recursive: true })));
    await symlink("/etc", join(place.folder, "link"));
    const recorded: Readonly<Record<string, string>> = {
      "/etc": place.folder,
      "/": place.folder,
      [`${place.folder}/../..`]: place.folder,
      [place.folder]: place.folder,
      [join(place.folder, ".ssh")]: place.folder,
      [join(place.folder, "link")]: place.folder,
      "app/../../../etc": place.folder,
      "/etc\0x": place.folder,
      [mine]: mine,
    };
    for (const [cwd, workspace] of Object.entries(recorded)) {
      const path = join(folder, "one.jsonl");
      await writeFile(path, RECORD.replace('"/gone"', JSON.stringify(cwd)));
      const { stdout } = await place.run(["import", path]);
      const shown = await place.run(["sessions", "show", stdout.trim(), "--json"]);
      const { settings } = JSON.parse(shown.stdout) as SessionView;
      expect([cwd, settings.workspace]).toEqual([cwd, workspace]);
    }
  });

  it("lists what a folder holds, and makes nothing", async () => {
    await record("two");
    const { code, stdout } = await place.run(["import", "--list", join(place.folder, "records")]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^PROGRAM +TURNS +LAST +FIRST PROMPT +RECORD\nclaude-code +1 +2026-10-01T10:00:00\.000Z +Which files\?/,
    );
  });

  it("passes over what is no record in a hostile folder: links, pipes, what cannot be read", async () => {
    const folder = join(place.folder, "hostile");
    await mkdir(join(folder, "a.jsonl"), { recursive: true });
    await symlink("/dev/zero", join(folder, "endless.jsonl"));
    await symlink(join(folder, "nowhere"), join(folder, "broken.jsonl"));
    await symlink("/", join(folder, "everything"));
    await symlink(await record("linked"), join(folder, "linked.jsonl"));
    await writeFile(join(folder, "junk.jsonl"), "{".repeat(100_000));
    await promisify(execFile)("mkfifo", [join(folder, "pipe.jsonl")]);
    const none = await place.run(["import", "--list", folder]);
    expect([none.code === 0, none.stderr]).toEqual([
      false,
      expect.stringContaining("no record of Claude Code or Codex was found in "),
    ]);
    await writeFile(join(folder, "real.jsonl"), RECORD);
    const { stdout } = await place.run(["import", "--list", folder]);
    expect(stdout.trim().split("\n")).toHaveLength(2);
    // A pipe that is named itself is not waited for either.
    expect((await place.run(["import", join(folder, "pipe.jsonl")])).code).not.toBe(0);
  });

  it("says where the session works: the record may name a folder of its own", async () => {
    const { stderr } = await place.run(["import", await record("told")]);
    expect(stderr).toContain(`works in ${place.folder}`);
  });

  it("says what to do where nothing was found", async () => {
    const { code, stderr } = await place.run(["import", join(place.folder, "nowhere")]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      `no record of Claude Code or Codex was found in ${join(place.folder, "nowhere")}; name another file or folder`,
    );
  });
});

describe("sallyport export", () => {
  it("writes to standard output, or into a file of its own", async () => {
    const id = await imported();
    expect((await place.run(["export", id])).stdout).toContain("\nOnly a.txt.\n");
    const output = join(place.folder, "talk.html");
    expect(await place.run(["export", id, "--format", "html", "--output", output])).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect(await readFile(output, "utf8")).toContain('<div class="text">Only a.txt.</div>');
  });
});

describe("sallyport share", () => {
  it("prints the link alone, lists it without its secret, and revokes it", async () => {
    const id = await imported();
    const { code, stdout } = await place.run(["share", "create", id]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http\S+\/share\/[\w-]{43}\n$/) as string,
    });
    expect((await fetch(stdout.trim())).status).toBe(200);
    const made = JSON.parse(
      (await place.run(["share", "create", id, "--expires-in", "2h", "--json"])).stdout,
    ) as ShareCreated;
    const listed = await place.run(["share", "list", id, "--json"]);
    expect((JSON.parse(listed.stdout) as ShareList).shares.map((share) => share.id)).toContain(made.id);
    expect(listed.stdout).not.toContain(made.path);
    expect(await place.run(["share", "revoke", id, made.id])).toMatchObject({ code: 0 });
    expect(await place.run(["share", "revoke", id, made.id])).toMatchObject({ code: 2 });
  });
});
