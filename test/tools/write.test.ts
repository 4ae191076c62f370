import { lstat, mkdir, readFile, readdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sweepUnfinished } from "../../src/tools/index.ts";
import { bench } from "./fixture.ts";

describe("Write", () => {
  test("a new file, with the folders above it", async () => {
    const tools = await bench();
    expect(await tools.run("Write", { file_path: "a/b/new.txt", content: "hello world" })).toEqual({
      content: [{ type: "text", text: `Wrote 11 characters to ${tools.path("a/b/new.txt")}` }],
      is_error: false,
      changes: [{ path: tools.path("a/b/new.txt"), kind: "add" }],
      diff: `--- a/${tools.path("a/b/new.txt")}\n+++ b/${tools.path("a/b/new.txt")}\n@@ -0,0 +1 @@\n+hello world`,
    });
    expect(await tools.get("a/b/new.txt")).toBe("hello world");
    expect((await stat(tools.path("a/b/new.txt"))).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(await readdir(tools.path("a/b"))).toEqual(["new.txt"]);
  });

  test.each([
    ["", 0],
    ["äöü", 3],
    ["😀!", 2],
    ["a\r\nb", 4],
  ])("%j has %i characters", async (content, count) => {
    const tools = await bench();
    expect(await tools.text("Write", { file_path: "x", content })).toBe(
      `Wrote ${count} characters to ${tools.path("x")}`,
    );
    expect(await tools.get("x")).toBe(content);
  });

  test("an existing file is replaced, unless it is not as it was read or shown", async () => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "old\n");
    expect(await tools.text("Write", { file_path, content: "old again\n" })).toBe(
      `Wrote 10 characters to ${file_path}`,
    );
    const shown = await tools.put("shown.txt", "as shown\n");
    const { planned } = await tools.toolbox.preview("Write", { file_path: shown, content: "new" });
    await writeFile(shown, "changed after it was shown\n");
    const permission = { judged: new Map([[shown, shown]]), approved: { planned } };
    expect(await tools.run("Write", { file_path: shown, content: "new" }, { permission })).toEqual({
      content: [{ type: "text", text: `${shown} changed since it was shown.` }],
      is_error: true,
      changed: true,
    });
    await tools.text("Read", { file_path });
    await writeFile(file_path, "other\n");
    expect(await tools.error("Write", { file_path, content: "new" })).toBe(
      `File has been modified since it was read: ${file_path}. Read it again before you change it.`,
    );
    expect(await tools.get("f.txt")).toBe("other\n");
    await tools.text("Read", { file_path: "f.txt" });
    expect(await tools.text("Write", { file_path, content: "new" })).toBe(`Wrote 3 characters to ${file_path}`);
    // What was written counts as seen.
    expect(await tools.text("Write", { file_path, content: "newer" })).toBe(`Wrote 5 characters to ${file_path}`);
    expect(await tools.get("f.txt")).toBe("newer");
  });

  test("mode, line endings and byte order mark stay", async () => {
    const tools = await bench();
    const file_path = await tools.put("run.sh", "\u{FEFF}one\r\ntwo\r\n", 0o750);
    await tools.text("Read", { file_path });
    await tools.text("Write", { file_path, content: "three\nfour\n" });
    expect(await tools.get("run.sh")).toBe("\u{FEFF}three\r\nfour\r\n");
    expect((await stat(file_path)).mode & 0o7777).toBe(0o750);
    await tools.text("Write", { file_path, content: "own\r\nendings\n" });
    expect(await tools.get("run.sh")).toBe("\u{FEFF}own\r\nendings\n");
  });

  test("through a link the target changes and the link stays", async () => {
    const tools = await bench();
    await tools.put("real/target.txt", "old");
    await symlink("real/target.txt", tools.path("link.txt"));
    await symlink("real/fresh.txt", tools.path("dangling.txt"));
    await tools.text("Read", { file_path: "link.txt" });
    await tools.text("Write", { file_path: "link.txt", content: "new" });
    await tools.text("Write", { file_path: "dangling.txt", content: "made" });
    expect(await readlink(tools.path("link.txt"))).toBe("real/target.txt");
    expect((await lstat(tools.path("dangling.txt"))).isSymbolicLink()).toBe(true);
    expect([await tools.get("real/target.txt"), await tools.get("real/fresh.txt")]).toEqual(["new", "made"]);
  });

  test.each([
    ["../outside/x.txt"],
    ["/etc/sallyport-test"],
    ["out/x.txt"],
    ["out-file"],
    ["dangling-out"],
    ["deep/../../outside/x.txt"],
    ["chain"],
  ])("%s leads outside and is refused", async (file_path) => {
    const tools = await bench();
    await symlink(tools.outside, tools.path("out"));
    await symlink(join(tools.outside, "file"), tools.path("out-file"));
    await symlink("../outside/nothing/yet", tools.path("dangling-out"));
    await symlink("out-file", tools.path("chain"));
    await writeFile(join(tools.outside, "file"), "safe");
    expect(await tools.error("Write", { file_path, content: "x" })).toContain("is outside the workspace");
    expect(await readdir(tools.outside)).toEqual(["file"]);
    expect(await readFile(join(tools.outside, "file"), "utf8")).toBe("safe");
  });

  test.each([
    ["a folder", "folder", /is a folder, not a file/],
    ["the workspace", ".", /is the workspace itself, not a file/],
    ["below a file", "file/x", /^Error writing .*(ENOTDIR|EEXIST)/],
    ["a name that is too long", "n".repeat(300), /ENAMETOOLONG/],
  ])("%s is refused", async (_name, file_path, expected) => {
    const tools = await bench();
    await mkdir(tools.path("folder"));
    await tools.put("file", "x");
    expect(await tools.error("Write", { file_path, content: "x" })).toMatch(expected);
    expect((await readdir(tools.workspace)).sort()).toEqual(["file", "folder"]);
  });

  test("nothing temporary stays, also of a server that died while it wrote", async () => {
    const tools = await bench();
    await tools.text("Write", { file_path: "f", content: "x" });
    const unfinished = join(tools.session.outputFolder, "unfinished");
    expect([await readdir(tools.workspace), await readdir(unfinished)]).toEqual([["f"], []]);
    await tools.put(".g.item_9.tmp", "half");
    await tools.put("precious.txt", "keep");
    await writeFile(join(unfinished, "item_9"), tools.path(".g.item_9.tmp"));
    await writeFile(join(unfinished, "item_8"), tools.path("precious.txt"));
    expect(await sweepUnfinished(tools.session.outputFolder)).toBe(1);
    expect([(await readdir(tools.workspace)).sort(), await readdir(unfinished)]).toEqual([["f", "precious.txt"], []]);
    expect(await sweepUnfinished(join(tools.workspace, "nowhere"))).toBe(0);
  });

  test("whoever looks sees the old content or the new one, never a part", async () => {
    const tools = await bench();
    const [one, two] = ["1".repeat(300_000), "2".repeat(300_000)];
    const file_path = await tools.put("f", one);
    await tools.text("Read", { file_path, limit: 1 });
    const writing = new AbortController();
    const seen = new Set<string>();
    const looking = (async () => {
      while (!writing.signal.aborted) {
        const text = await readFile(file_path, "utf8");
        seen.add(text === one ? "one" : text === two ? "two" : `part of ${text.length}`);
      }
    })();
    for (let round = 0; round < 10; round += 1)
      await tools.text("Write", { file_path, content: round % 2 === 0 ? two : one });
    writing.abort();
    await looking;
    expect([...seen].filter((what) => what.startsWith("part"))).toEqual([]);
  });
});
