import { link, readdir, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { bench } from "./fixture.ts";

describe("previews of changes", () => {
  test("a new file, exactly as document 001 shows it", async () => {
    const tools = await bench();
    const { preview, warnings } = await tools.toolbox.preview("Write", {
      file_path: "to/test.txt",
      content: "hello world",
    });
    const path = tools.path("to/test.txt");
    expect({ preview, warnings }).toEqual({
      preview: {
        type: "diff",
        file: {
          file_path: path,
          is_new_file: true,
          original_content: "",
          new_content: "hello world",
          diff: [`--- a/${path}`, `+++ b/${path}`, "@@ -0,0 +1 @@", "+hello world"].join("\n"),
          added: 1,
          removed: 0,
          effects: ["creates folder to"],
        },
        details: { file_path: path, is_new_file: true, original_lines: 0, new_lines: 1 },
      },
      warnings: [],
    });
    expect(await readdir(tools.workspace)).toEqual([]);
  });

  test("side effects are told", async () => {
    const tools = await bench();
    const real = await tools.put("bin/run.sh", "\u{FEFF}a\r\nb\r\n", 0o755);
    await link(real, tools.path("other-name"));
    await symlink("bin/run.sh", tools.path("link.sh"));
    const { preview } = await tools.toolbox.preview("Edit", { file_path: "link.sh", old_string: "b", new_string: "c" });
    expect(preview).toMatchObject({
      file: {
        file_path: tools.path("link.sh"),
        effects: [
          "writes through a link to bin/run.sh",
          "keeps mode 755",
          "keeps CRLF line endings",
          "keeps the byte order mark",
          "leaves the old content under 1 other name(s) of the file",
        ],
        original_content: "a\r\nb\r\n",
        new_content: "a\r\nc\r\n",
        added: 1,
        removed: 1,
      },
    });
  });

  test("Edit", async () => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "x y x\n");
    const long = "z".repeat(250);
    const input = { file_path, old_string: "x", new_string: long, replace_all: true };
    expect((await tools.toolbox.preview("Edit", input)).preview).toMatchObject({
      type: "diff",
      details: {
        file_path,
        old_string_preview: "x",
        new_string_preview: `${"z".repeat(200)}...`,
        replace_all: true,
        occurrences: 2,
        will_replace: 2,
      },
    });
    const failing = { file_path: "none.txt", old_string: "x", new_string: "y" };
    const error = `File does not exist: ${tools.path("none.txt")}`;
    expect((await tools.toolbox.preview("Edit", failing)).preview).toEqual({
      type: "diff",
      file: {
        file_path: "none.txt",
        is_new_file: false,
        original_content: "",
        new_content: "",
        diff: "",
        added: 0,
        removed: 0,
        effects: [],
        error,
      },
      details: { error, file_path: "none.txt" },
    });
  });

  test("MultiEdit shows every step and the whole", async () => {
    const tools = await bench();
    const file_path = await tools.put("f.txt", "1\n2\n");
    const edits = [
      { old_string: "1", new_string: "one" },
      { old_string: "2", new_string: "two" },
    ];
    const head = [`--- a/${file_path}`, `+++ b/${file_path}`, "@@ -1,2 +1,2 @@"];
    expect((await tools.toolbox.preview("MultiEdit", { file_path, edits })).preview).toMatchObject({
      type: "multi_diff",
      files: [{ diff: [...head, "-1", "-2", "+one", "+two"].join("\n"), added: 2, removed: 2 }],
      details: {
        edit_count: 2,
        edits: [
          { file_path, diff: [...head, "-1", "+one", " 2"] },
          { file_path, diff: [...head, " one", "-2", "+two"] },
        ],
      },
    });
    const failing = [...edits, { old_string: "3", new_string: "three" }];
    const { preview } = await tools.toolbox.preview("MultiEdit", { file_path, edits: failing });
    expect(preview).toMatchObject({
      files: [{ error: expect.stringMatching(/^Edit 3 of 3 cannot be made/) as string, diff: "" }],
      details: {
        edit_count: 3,
        edits: [{ file_path }, { file_path }, { file_path, error: expect.stringMatching(/^Edit 3/) as string }],
      },
    });
  });

  test("big files are shown by their diff alone", async () => {
    const tools = await bench();
    const file_path = await tools.put("big.txt", "line of text\n".repeat(100_000));
    const { preview } = await tools.toolbox.preview("Edit", {
      file_path,
      old_string: "line of text\n",
      new_string: "x\n",
      replace_all: true,
    });
    expect(preview).toMatchObject({
      file: {
        original_content: "",
        new_content: "x\n".repeat(100_000),
        added: 100_000,
        removed: 100_000,
        effects: [
          expect.stringMatching(/^the diff has \d+ characters; the first 1000000 are shown$/) as string,
          "the old text has 1300000 characters and is shown by the diff alone",
        ],
      },
    });
  });
});
