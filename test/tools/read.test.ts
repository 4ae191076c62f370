import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { bench } from "./fixture.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("text", () => {
  test.each([
    ["one line", "a", {}, "     1\ta"],
    ["a last newline is no line", "a\nb\n", {}, "     1\ta\n     2\tb"],
    ["empty lines", "\n\nx", {}, "     1\t\n     2\t\n     3\tx"],
    ["CRLF", "a\r\nb\r\n", {}, "     1\ta\n     2\tb"],
    ["a byte order mark", "\u{FEFF}a\n", {}, "     1\ta"],
    ["offset", "a\nb\nc\n", { offset: 2 }, "     2\tb\n     3\tc"],
    ["offset 0 is 1", "a\nb\n", { offset: 0 }, "     1\ta\n     2\tb"],
    ["limit", "a\nb\nc\n", { limit: 2 }, "     1\ta\n     2\tb"],
    ["offset and limit", "a\nb\nc\nd\n", { offset: 2, limit: 2 }, "     2\tb\n     3\tc"],
    ["a limit beyond the end", "a\nb\n", { limit: 50 }, "     1\ta\n     2\tb"],
    ["a long line", "x".repeat(2_001), {}, `     1\t${"x".repeat(2_000)}...`],
    ["a line of just the length", "x".repeat(2_000), {}, `     1\t${"x".repeat(2_000)}`],
    ["a long line ending in half an emoji", `${"x".repeat(1_999)}😀y`, {}, `     1\t${"x".repeat(1_999)}...`],
    ["an empty file", "", {}, "The file exists but is empty: FILE"],
    ["unicode", "grüße 漢字\n", {}, "     1\tgrüße 漢字"],
  ])("%s", async (_name, content, more, expected) => {
    const tools = await bench();
    const file_path = await tools.put("file.txt", content);
    expect(await tools.text("Read", { file_path, ...more })).toBe(expected.replace("FILE", file_path));
  });

  test("more lines than shown at once: a note says how to go on", async () => {
    const tools = await bench();
    await tools.put("long.txt", `${Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}`).join("\n")}\n`);
    const first = (await tools.text("Read", { file_path: "long.txt" })).split("\n");
    expect(first).toHaveLength(2_002);
    expect(first[1_999]).toBe("  2000\tline 2000");
    expect(first.slice(-2)).toEqual(["", "(Lines 1 to 2000 are shown. The file goes on: read with offset 2001.)"]);
    const rest = (await tools.text("Read", { file_path: "long.txt", offset: 2_001 })).split("\n");
    expect([rest.length, rest[0], rest.at(-1)]).toEqual([500, "  2001\tline 2001", "  2500\tline 2500"]);
  });

  test("more characters than shown at once", async () => {
    const tools = await bench();
    await tools.put("wide.txt", `${"y".repeat(1_500)}\n`.repeat(1_000));
    const text = await tools.text("Read", { file_path: "wide.txt", limit: 1_000 });
    expect(text.length).toBeLessThan(LIMITS.readBytes + 10_000);
    expect(text).toMatch(/\n\n\(Lines 1 to 175 are shown\. The file goes on: read with offset 176\.\)$/);
  });

  test("a file too big to hold is read from its start, and only as far as needed", async () => {
    const tools = await bench();
    const file_path = await tools.put("huge.txt", "first\nsecond\nthird\n");
    execFileSync("bash", [
      "-c",
      `yes 0123456789abcdef | head -c ${LIMITS.fileBytes + 1_000} >> "$0"; echo last >> "$0"`,
      file_path,
    ]);
    expect(await tools.text("Read", { file_path, offset: 2, limit: 2 })).toBe("     2\tsecond\n     3\tthird");
    const lines = 3 + Math.floor((LIMITS.fileBytes + 1_000) / 17) + 1;
    expect(await tools.error("Read", { file_path, offset: lines + 1 })).toBe(
      `Offset ${lines + 1} is beyond the end of ${file_path}, which has ${lines} line(s).`,
    );
    expect(await tools.text("Read", { file_path, offset: lines })).toMatch(/last$/);
    expect(await tools.error("Edit", { file_path, old_string: "first", new_string: "1" })).toMatch(
      /cannot be changed here\.$/,
    );
  });

  test("bytes that are no UTF-8 are shown as such", async () => {
    const tools = await bench();
    await tools.put("latin.txt", Buffer.from("gr\xfc\xdfe\n", "latin1"));
    expect(await tools.text("Read", { file_path: "latin.txt" })).toBe("     1\tgr\u{FFFD}\u{FFFD}e");
  });

  test("UTF-16 with its mark is text", async () => {
    const tools = await bench();
    await tools.put("wide.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("hé\nyou", "utf16le")]));
    expect(await tools.text("Read", { file_path: "wide.txt" })).toBe("     1\thé\n     2\tyou");
  });
});

describe("what is no text", () => {
  test.each([
    ["missing", "nowhere.txt", "File does not exist: DIR/nowhere.txt"],
    ["missing below a file", "a.txt/b", "File does not exist: DIR/a.txt/b"],
    ["a folder", "folder", "DIR/folder is a folder, not a file. Use Glob or Bash to look into it."],
    ["the workspace", ".", "DIR is a folder, not a file. Use Glob or Bash to look into it."],
    [
      "PDF",
      "paper.pdf",
      "Cannot read PDF file: DIR/paper.pdf. Turn it into text first, for example with `pdftotext` in Bash.",
    ],
    ["binary", "data.bin", "Cannot read binary file: DIR/data.bin"],
    ["a pipe", "pipe", "DIR/pipe is not a regular file."],
    ["a dangling link", "dangling", "File does not exist: DIR/dangling"],
    ["a loop of links", "loop", "DIR/loop goes through more than 40 symbolic links."],
    ["beyond the end", "a.txt", "Offset 9 is beyond the end of DIR/a.txt, which has 1 line(s)."],
    ["empty path", "", "The path is empty. Give the path of a file or folder."],
    ["NUL", "a\0b", "The path contains a NUL character, which no path can have."],
    ["too long", "x".repeat(5_000), "The path is longer than 4096 characters."],
  ])("%s", async (_name, file_path, expected) => {
    const tools = await bench();
    await tools.put("a.txt", "a\n");
    await tools.put("paper.pdf", "%PDF-1.7\nxx");
    await tools.put("data.bin", Buffer.from([1, 2, 0, 3]));
    await mkdir(tools.path("folder"));
    await symlink("nothing-here", tools.path("dangling"));
    await symlink("loop", tools.path("loop"));
    execFileSync("mkfifo", [tools.path("pipe")]);
    const offset = file_path === "a.txt" ? { offset: 9 } : {};
    expect(await tools.error("Read", { file_path, ...offset })).toBe(expected.replaceAll("DIR", tools.workspace));
  });

  test.each([
    ["image/png", PNG],
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2])],
    ["image/gif", Buffer.from("GIF89a....")],
    ["image/webp", Buffer.from("RIFF\x10\x00\x00\x00WEBPVP8 ", "latin1")],
  ])("%s is shown, whatever the name says", async (media_type, bytes) => {
    const tools = await bench();
    await tools.put("picture.dat", bytes);
    expect(await tools.run("Read", { file_path: "picture.dat" })).toEqual({
      content: [{ type: "image", media_type, data: bytes.toString("base64") }],
      is_error: false,
    });
  });

  test("an image that is too big is refused", async () => {
    const tools = await bench();
    const path = await tools.put("big.png", PNG);
    await truncate(path, LIMITS.imageBytes + 1);
    expect(await tools.error("Read", { file_path: "big.png" })).toBe(
      `The image ${path} has ${LIMITS.imageBytes + 1} bytes; at most ${LIMITS.imageBytes} can be shown. Make it smaller first.`,
    );
  });
});

describe("where", () => {
  test("inside, through links inside, and in the extra folders; nowhere else", async () => {
    const tools = await bench({ extraRead: (folder) => [join(folder, "extra")] });
    const extra = join(tools.outside, "..", "extra");
    await mkdir(extra);
    await writeFile(join(extra, "e.txt"), "extra");
    await writeFile(join(tools.outside, "o.txt"), "secret");
    await mkdir(tools.session.outputFolder);
    await writeFile(join(tools.session.outputFolder, "x.log"), "log");
    await tools.put("real/a.txt", "inside");
    await symlink("real", tools.path("link"));
    await symlink(tools.outside, tools.path("out"));
    await symlink(join(tools.outside, "o.txt"), tools.path("o.txt"));
    expect(await tools.text("Read", { file_path: "link/a.txt" })).toBe("     1\tinside");
    expect(await tools.text("Read", { file_path: join(extra, "e.txt") })).toBe("     1\textra");
    expect(await tools.text("Read", { file_path: join(tools.session.outputFolder, "x.log") })).toBe("     1\tlog");
    for (const file_path of [
      "../outside/o.txt",
      join(tools.outside, "o.txt"),
      "out/o.txt",
      "o.txt",
      "/etc/passwd",
      "link/../../outside/o.txt",
    ]) {
      const text = await tools.error("Read", { file_path });
      expect(text).toContain(`is outside the workspace ${tools.workspace}. Use a path inside it.`);
      expect(text).not.toContain("secret");
    }
    expect(await tools.error("Write", { file_path: join(extra, "e.txt"), content: "x" })).toContain(
      "is outside the workspace",
    );
    // A home folder is not expanded: the name stands for itself.
    expect(await tools.error("Read", { file_path: "~/x" })).toBe(`File does not exist: ${tools.workspace}/~/x`);
  });

  test("many at once", async () => {
    const tools = await bench();
    const names = Array.from({ length: 60 }, (_, index) => `f${index}.txt`);
    for (const name of names) await tools.put(name, name);
    const texts = await Promise.all(names.map((file_path) => tools.text("Read", { file_path })));
    expect(texts).toEqual(names.map((name) => `     1\t${name}`));
  });
});

describe("notebooks", () => {
  const notebook = {
    cells: [
      { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        execution_count: 1,
        id: "plot",
        metadata: {},
        outputs: [
          { output_type: "stream", name: "stdout", text: ["hello\n", "\u001B[31mred\u001B[0m\n"] },
          {
            output_type: "display_data",
            data: { "image/png": PNG.toString("base64"), "text/plain": ["<Figure>"] },
            metadata: {},
          },
          { output_type: "execute_result", data: { "text/plain": ["42"] }, execution_count: 1, metadata: {} },
          { output_type: "error", ename: "ValueError", evalue: "bad", traceback: ["line 1"] },
        ],
        source: "plot()",
      },
      { cell_type: "code", metadata: {}, outputs: [], source: [] },
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  };

  test("cell by cell with outputs", async () => {
    const tools = await bench();
    await tools.put("n.ipynb", JSON.stringify(notebook));
    expect(await tools.run("Read", { file_path: "n.ipynb" })).toEqual({
      content: [
        {
          type: "text",
          text: "[cell intro: markdown]\n# Title\ntext\n\n[cell plot: code]\nplot()\n\n[output]\nhello\nred\n",
        },
        { type: "image", media_type: "image/png", data: PNG.toString("base64") },
        { type: "text", text: "[output]\n42\n\n[output]\nValueError: bad\nline 1\n\n[cell cell-2: code]\n" },
      ],
      is_error: false,
    });
    expect(await tools.text("Read", { file_path: "n.ipynb", limit: 1 })).toBe("[cell intro: markdown]\n# Title\ntext");
    expect(await tools.text("Read", { file_path: "n.ipynb", offset: 3 })).toBe("[cell cell-2: code]\n");
    expect(await tools.error("Read", { file_path: "n.ipynb", offset: 4 })).toBe(
      "Offset 4 is beyond the end of the notebook, which has 3 cell(s).",
    );
  });

  test.each([
    ["no JSON", "{ not json", "     1\t{ not json"],
    ["another shape", '{"a":1}', '     1\t{"a":1}'],
    ["no cells", JSON.stringify({ ...notebook, cells: [] }), "The notebook has no cells."],
  ])("%s", async (_name, content, expected) => {
    const tools = await bench();
    await tools.put("n.ipynb", content);
    expect(await tools.text("Read", { file_path: "n.ipynb" })).toBe(expected);
  });

  test("long outputs and too many pictures are cut", async () => {
    const tools = await bench();
    const picture = { output_type: "display_data", data: { "image/png": "QUJD" }, metadata: {} };
    const long = { output_type: "stream", name: "stdout", text: "z".repeat(20_000) };
    const cells = [{ cell_type: "code", source: "x", outputs: [long, ...Array.from({ length: 25 }, () => picture)] }];
    await tools.put("n.ipynb", JSON.stringify({ ...notebook, cells }));
    const { content } = await tools.run("Read", { file_path: "n.ipynb" });
    expect(content.filter((block) => block.type === "image")).toHaveLength(LIMITS.notebookImages);
    expect(content[0]).toEqual({
      type: "text",
      text: `[cell cell-0: code]\nx\n\n[output]\n${"z".repeat(LIMITS.notebookOutputChars)}...`,
    });
  });
});
