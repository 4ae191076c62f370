import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { bench } from "./fixture.ts";

describe("Edit", () => {
  test.each([
    ["once", "a b c", { old_string: "b", new_string: "B" }, "a B c", 1],
    ["all", "x x x", { old_string: "x", new_string: "yy", replace_all: true }, "yy yy yy", 3],
    ["replace_all with one", "a b", { old_string: "a", new_string: "A", replace_all: true }, "A b", 1],
    ["delete", "a b c", { old_string: " b", new_string: "" }, "a c", 1],
    ["dollar signs are text", "cost", { old_string: "cost", new_string: "$& $1 $$" }, "$& $1 $$", 1],
    ["several lines", "a\nb\nc\n", { old_string: "a\nb\n", new_string: "x\n" }, "x\nc\n", 1],
    ["CRLF stays", "a\r\nb\r\nc\r\n", { old_string: "a\nb\n", new_string: "x\ny\nz\n" }, "x\r\ny\r\nz\r\nc\r\n", 1],
    ["CRLF, a part of a line", "a\r\nb\r\n", { old_string: "b", new_string: "b1\nb2" }, "a\r\nb1\r\nb2\r\n", 1],
    ["CRLF, the last line", "a\r\nb", { old_string: "b", new_string: "b1\nb2" }, "a\r\nb1\r\nb2", 1],
    ["CRLF given as such", "a\r\nb\r\n", { old_string: "a\r\nb", new_string: "c\r\nd" }, "c\r\nd\r\n", 1],
    [
      "mixed endings: only the place itself changes",
      "a\r\nb\nc\r\nd\n",
      { old_string: "b\nc", new_string: "x\ny" },
      "a\r\nx\ny\r\nd\n",
      1,
    ],
    [
      "mixed endings, a CRLF place",
      "a\r\nb\nc\r\nd\n",
      { old_string: "c\nd", new_string: "c\nX\nd" },
      "a\r\nb\nc\r\nX\r\nd\n",
      1,
    ],
    [
      "a match that begins at the newline",
      "a\r\nb\r\nc\r\n",
      { old_string: "\nb", new_string: "\nB" },
      "a\r\nB\r\nc\r\n",
      1,
    ],
    ["byte order mark", "\u{FEFF}a", { old_string: "a", new_string: "b" }, "\u{FEFF}b", 1],
    ["overlaps count once", "aaaa", { old_string: "aa", new_string: "b", replace_all: true }, "bb", 2],
  ])("%s", async (_name, before, change, after, count) => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", before, 0o755);
    expect(await tools.text("Edit", { file_path, ...change })).toBe(`Replaced ${count} occurrence(s) in ${file_path}`);
    expect(await tools.get("f.txt")).toBe(after);
    expect((await stat(file_path)).mode & 0o7777).toBe(0o755);
  });

  test.each([
    [
      "not found",
      "abc",
      { old_string: "x", new_string: "y" },
      "String not found in FILE. Read the file and give its text exactly, with the same spaces.",
    ],
    [
      "more than one",
      "a a a",
      { old_string: "a", new_string: "b" },
      "Found 3 matches of old_string in FILE, but replace_all is false. Give more of the text around the one you mean, or set replace_all to true.",
    ],
    [
      "the same",
      "abc",
      { old_string: "a", new_string: "a" },
      "old_string and new_string are the same: there is nothing to change.",
    ],
    [
      "both empty",
      "abc",
      { old_string: "", new_string: "" },
      "old_string and new_string are the same: there is nothing to change.",
    ],
    [
      "empty old_string, file exists",
      "abc",
      { old_string: "", new_string: "x" },
      "File exists already: FILE. An empty old_string can only create a new file; use Write to replace it.",
    ],
    ["no file", undefined, { old_string: "a", new_string: "b" }, "File does not exist: FILE"],
    ["binary", "a\0b", { old_string: "a", new_string: "b" }, "Cannot edit binary file: FILE"],
    [
      "not UTF-8",
      Buffer.from("a\xff", "latin1"),
      { old_string: "a", new_string: "b" },
      "FILE is not valid UTF-8; an edit would damage it. Change it with Bash instead.",
    ],
  ])("%s", async (_name, content, change, expected) => {
    const tools = await bench();
    const file_path = tools.path("f.txt");
    if (content !== undefined) await tools.put("f.txt", content);
    expect(await tools.error("Edit", { file_path, ...change })).toBe(expected.replace("FILE", file_path));
    if (content !== undefined) expect((await readFile(file_path)).equals(Buffer.from(content))).toBe(true);
  });

  test("a file that changed since it was read is refused", async () => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "one two");
    await tools.text("Read", { file_path });
    await writeFile(file_path, "one two three");
    expect(await tools.error("Edit", { file_path, old_string: "one", new_string: "1" })).toBe(
      `File has been modified since it was read: ${file_path}. Read it again before you change it.`,
    );
    await tools.text("Read", { file_path });
    await tools.text("Edit", { file_path, old_string: "one", new_string: "1" });
    await tools.text("Edit", { file_path, old_string: "two", new_string: "2" });
    expect(await tools.get("f.txt")).toBe("1 2 three");
  });

  test("an empty old_string creates a new file", async () => {
    const tools = await bench();
    expect(await tools.run("Edit", { file_path: "n/x.txt", old_string: "", new_string: "hi" })).toMatchObject({
      content: [{ type: "text", text: `Wrote 2 characters to ${tools.path("n/x.txt")}` }],
      changes: [{ path: tools.path("n/x.txt"), kind: "add" }],
    });
  });

  test("UTF-16 stays UTF-16", async () => {
    const tools = await bench();
    const wide = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const file_path = await tools.put("w.txt", wide("one\r\ntwo"));
    await tools.text("Edit", { file_path, old_string: "two", new_string: "zwei" });
    expect(await readFile(file_path)).toEqual(wide("one\r\nzwei"));
  });

  test("edits of one file at the same time all arrive", async () => {
    const tools = await bench();
    const words = Array.from({ length: 20 }, (_, index) => `<${index}>`);
    const file_path = await tools.put("f.txt", words.join("\n"));
    await symlink("f.txt", tools.path("also.txt"));
    await Promise.all(
      words.map((old_string, index) =>
        tools.text("Edit", {
          file_path: index % 2 === 0 ? file_path : "also.txt",
          old_string,
          new_string: `done ${index}`,
        }),
      ),
    );
    expect((await tools.get("f.txt")).split("\n")).toEqual(words.map((_, index) => `done ${index}`));
  });

  test("a file that may not be written stays", async () => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "a", 0o444);
    // The superuser may write everything; everybody else is refused.
    const result = await tools.run("Edit", { file_path, old_string: "a", new_string: "b" });
    expect(result.is_error).toBe(process.getuid?.() !== 0);
    await chmod(file_path, 0o644);
  });
});

describe("MultiEdit", () => {
  test("one after the other, each on the result of the one before", async () => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "a b b\r\n");
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "b", new_string: "c", replace_all: true },
      { old_string: "c c c\n", new_string: "d\ne\n" },
    ];
    expect(await tools.run("MultiEdit", { file_path, edits })).toMatchObject({
      content: [{ type: "text", text: `Replaced 5 occurrence(s) in ${file_path} with 3 edit(s)` }],
      is_error: false,
      changes: [{ path: file_path, kind: "update" }],
    });
    expect(await tools.get("f.txt")).toBe("d\r\ne\r\n");
  });

  test("can begin with a new file", async () => {
    const tools = await bench();
    const edits = [
      { old_string: "", new_string: "hello world" },
      { old_string: "world", new_string: "you" },
    ];
    await tools.text("MultiEdit", { file_path: "new.txt", edits });
    expect(await tools.get("new.txt")).toBe("hello you");
  });

  test.each([
    [
      "the second is missing",
      [
        ["a", "x"],
        ["zzz", "y"],
      ],
      "Edit 2 of 2 cannot be made, so none was: String not found in FILE.",
    ],
    [
      "the second is ambiguous",
      [
        ["a", "x"],
        ["b", "y"],
      ],
      "Edit 2 of 2 cannot be made, so none was: Found 2 matches of old_string in FILE",
    ],
    [
      "they cancel out",
      [
        ["a", "x"],
        ["x", "a"],
      ],
      "The edits cancel each other out: there is nothing to change.",
    ],
    ["an empty old_string", [["", "x"]], "Edit 1 of 1 cannot be made, so none was: old_string is empty."],
  ])("all or nothing: %s", async (_name, changes, expected) => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "a b b");
    const edits = changes.map(([old_string, new_string]) => ({ old_string, new_string }));
    expect(await tools.error("MultiEdit", { file_path, edits })).toContain(expected.replace("FILE", file_path));
    expect(await tools.get("f.txt")).toBe("a b b");
  });
});
