import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { kept } from "../../../src/cli/home/kept-secret.ts";
import { writeWholeFile } from "../../../src/cli/new-file.ts";
import { StateFile } from "../../../src/engines/claude/state.ts";
import { SmallStateFile } from "../../../src/engines/vendor/state-file.ts";
import { McpValues } from "../../../src/sessions/mcp/values.ts";
import { ShownTexts } from "../../../src/surfaces/mount/shown.ts";
import { makeRedactor } from "../../../src/protocol/index.ts";
import { replaceFile } from "../../../src/workspaces/index.ts";
import { makePlace, startServer } from "../../support/server.ts";

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("mkdir", ["-p", "/tmp/sallyport-mount-probe-files"]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp/sallyport-mount-probe-files"], {
      stdio: "ignore",
    });
    execFileSync("umount", ["/tmp/sallyport-mount-probe-files"]);
    return true;
  } catch {
    return false;
  }
}

const FILLER = "filler";

/** Writes until nothing more fits. Empty files can still be made. */
function fill(folder: string): void {
  const file = openSync(join(folder, FILLER), "w");
  try {
    for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch {
        // The next smaller piece may still fit.
      }
    }
  } finally {
    closeSync(file);
  }
}

const streamOf = (text: string): ReadableStream<Uint8Array> => {
  const { body } = new Response(text);
  if (body === null) throw new Error("a text has a body");
  return body;
};

describe.skipIf(!canMount())("a disk that is full (needs the right to mount)", () => {
  let disk = "";
  beforeEach(async () => {
    disk = await mkdtemp(join(tmpdir(), "sallyport-test-full-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", disk]);
  });
  afterEach(async () => {
    execFileSync("umount", ["-l", disk]);
    await rm(disk, { recursive: true });
  });
  const room = (): Promise<void> => rm(join(disk, FILLER));
  const files = async (): Promise<readonly string[]> =>
    (await readdir(disk, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== FILLER)
      .map(({ name }) => name);

  const writers: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
    "a secret that is made once": (text) => kept(join(disk, "file"), () => text),
    "a record of a workspace": (text) => replaceFile(join(disk, "file"), text),
    "an export": (text) => writeWholeFile(join(disk, "file"), streamOf(text)),
    "values of an MCP server": (text) =>
      new McpValues(disk, makeRedactor([])).keep("ses_1", { one: { type: "stdio", command: "x", env: { A: text } } }),
    "what a vendor's program calls the conversation": async (text) =>
      new SmallStateFile(disk, { name: "file", schema: z.object({ a: z.string().optional() }) }).save({ a: text }),
  };

  it.each(Object.keys(writers))("leaves no half of %s", async (name) => {
    fill(disk);
    await expect(writers[name]?.("text")).rejects.toMatchObject({ code: "ENOSPC" });
    expect(await files()).toEqual([]);
    await room();
    await writers[name]?.("text");
    expect(await files()).toHaveLength(1);
  });

  it("leaves the export that was there", async () => {
    const path = join(disk, "file");
    await writeFile(path, "old");
    fill(disk);
    await expect(writeWholeFile(path, streamOf("new".repeat(100_000)))).rejects.toMatchObject({ code: "ENOSPC" });
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it("does not make an engine forget where a conversation was", async () => {
    const state = new StateFile(disk);
    fill(disk);
    expect(() => state.endTurn({ turn_id: "turn_1", at: { session: "s", uuid: "u".repeat(5_000) } })).toThrow("ENOSPC");
    await room();
    state.endTurn({ turn_id: "turn_2", at: { session: "s", uuid: "v" } });
    expect(new StateFile(disk).kept.turns.map(({ turn_id }) => turn_id)).toEqual(["turn_1", "turn_2"]);
    const vendor = new SmallStateFile(disk, { name: "file", schema: z.object({ a: z.string().optional() }) });
    fill(disk);
    expect(() => vendor.save({ a: "1" })).toThrow("ENOSPC");
    await room();
    vendor.save({ a: "1" });
    expect(await readFile(join(disk, "file"), "utf8")).toBe('{"a":"1"}');
  });

  it("does not end a reader of an output, which reads the same afterwards", async () => {
    const folder = join(disk, "mount");
    await mkdir(folder);
    const shown = await new ShownTexts(folder).open("ses_1");
    const text = "x".repeat(9_000);
    expect(await shown.reveal("item_1", text.slice(0, 10))).toBe(10);
    fill(disk);
    await expect(shown.reveal("item_1", text)).rejects.toMatchObject({ code: "ENOSPC" });
    await room();
    // No more words have come meanwhile.
    expect(await shown.reveal("item_1", text)).toBe(text.length);
    const other = await new ShownTexts(folder).open("ses_1");
    expect(other.settle("item_1", "other")).toBe(`${text}\nother`);
  });

  it("of temporary files: is said in words, makes no repository disappear, and all goes on when there is room", async () => {
    await using place = Object.assign(await makePlace(), {
      [Symbol.asyncDispose]: async () => {
        await server?.stop();
        await place.remove();
      },
    });
    const git = (...words: readonly string[]): string =>
      execFileSync("git", ["-C", place.workspace, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
        encoding: "utf8",
      });
    await writeFile(join(place.workspace, "a.txt"), "one\n");
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=first");
    const server = await startServer(place, { TMPDIR: disk, SALLYPORT_RECORD_FILES: "on" });
    const { client } = server;
    const { id } = await client.createSession({});
    fill(disk);
    const full = { code: "store_full", message: expect.stringContaining("one of temporary files") as unknown };
    await expect(client.createSession({ workspace_mode: "worktree" })).rejects.toMatchObject(full);
    await expect(client.createSession({ workspace_mode: "snapshot" })).rejects.toMatchObject(full);
    await expect(client.commitChanges(id, { message: "x", branch: "x" })).rejects.toMatchObject(full);
    expect(server.log()).toContain("ENOSPC");
    await room();
    await client.createSession({ workspace_mode: "worktree" });
    await client.createSession({ workspace_mode: "snapshot" });
  });
});
