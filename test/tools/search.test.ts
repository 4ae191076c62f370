import { execFileSync } from "node:child_process";
import { mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { bench, type Bench } from "./fixture.ts";

/** Files with times one minute apart, the last one the newest. */
async function tree(tools: Bench, files: Readonly<Record<string, string>>): Promise<void> {
  let minute = 0;
  for (const [name, content] of Object.entries(files)) {
    const path = await tools.put(name, content);
    minute += 1;
    await utimes(path, minute * 60, minute * 60);
  }
}

describe("Glob", () => {
  const FILES = {
    "a.ts": "",
    "src/b.ts": "",
    "src/deep/c.ts": "",
    "src/deep/d.js": "",
    ".hidden/e.ts": "",
    ".git/f.ts": "",
    "node_modules/x/g.ts": "",
    "[odd]/h.md": "",
  };
  test.each([
    ["*.ts", {}, ["a.ts"]],
    ["**/*.ts", {}, ["node_modules/x/g.ts", ".hidden/e.ts", "src/deep/c.ts", "src/b.ts", "a.ts"]],
    ["src/**/*.{js,ts}", {}, ["src/deep/d.js", "src/deep/c.ts", "src/b.ts"]],
    ["*.ts", { path: "src" }, ["src/b.ts"]],
    ["deep/*", { path: "src" }, ["src/deep/d.js", "src/deep/c.ts"]],
    ["src/b.ts", {}, ["src/b.ts"]],
    ["ABS/src/*.ts", {}, ["src/b.ts"]],
    ["a.ts", { path: "undefined" }, ["a.ts"]],
    ["a.ts", { path: "null" }, ["a.ts"]],
    ["a.ts", { path: "" }, ["a.ts"]],
    ["./src/*.ts", {}, ["src/b.ts"]],
    ["src/deep/../b.ts", {}, ["src/b.ts"]],
    ["\\[odd\\]/*", {}, ["[odd]/h.md"]],
    ["?.ts", {}, ["a.ts"]],
    ["*.py", {}, undefined],
    ["src", {}, undefined],
  ])("%s %j", async (pattern, more, expected) => {
    const tools = await bench();
    await tree(tools, FILES);
    const text = await tools.text("Glob", { pattern: pattern.replace("ABS", tools.workspace), ...more });
    expect(text).toBe(expected === undefined ? "No files found" : expected.map((name) => tools.path(name)).join("\n"));
  });

  test.each([
    [{ pattern: "*", path: "nowhere" }, "Directory does not exist: DIR/nowhere"],
    [{ pattern: "*", path: "a.ts" }, "Not a directory: DIR/a.ts"],
    [{ pattern: "../outside/*" }, "/outside is outside the workspace DIR. Use a path inside it."],
    [{ pattern: "/etc/*" }, "/etc is outside the workspace DIR. Use a path inside it."],
    [{ pattern: "*", path: "out" }, "/outside) is outside the workspace DIR. Use a path inside it."],
    [{ pattern: "*/../../outside/*" }, "The pattern may not go up with `..` after a wildcard. Use the path argument."],
    [{ pattern: "{a,..}/*" }, "The pattern may not go up with `..` after a wildcard. Use the path argument."],
    [{ pattern: "a\0b" }, "The pattern contains a NUL character."],
  ])("%j is refused", async (input, expected) => {
    const tools = await bench();
    await tree(tools, FILES);
    await symlink(tools.outside, tools.path("out"));
    await writeFile(join(tools.outside, "secret.ts"), "");
    expect(await tools.error("Glob", input)).toContain(expected.replaceAll("DIR", tools.workspace));
  });

  test.each(["**/*", "out/**", "{out,src}/*", "{/etc,src}/*", "@(out)/*"])(
    "%s does not look through links to the outside",
    async (pattern) => {
      const tools = await bench();
      await tree(tools, FILES);
      await symlink(tools.outside, tools.path("out"));
      await writeFile(join(tools.outside, "secret.ts"), "");
      const result = await tools.run("Glob", { pattern });
      expect(JSON.stringify(result)).not.toMatch(/secret|passwd/);
    },
  );

  test("a hundred, and a note that there are more", async () => {
    const tools = await bench();
    await mkdir(tools.path("many"));
    for (let index = 0; index < 103; index += 1) await writeFile(tools.path(`many/${index}`), "");
    const lines = (await tools.text("Glob", { pattern: "many/*" })).split("\n");
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("(Results are truncated: 100 of 103 files are shown. Use a narrower pattern or path.)");
    expect(await tools.error("Glob", { pattern: "**" }, { signal: AbortSignal.abort() })).toBe(
      "The search was interrupted.",
    );
  });
});

describe("Grep", () => {
  const FILES = {
    "one.ts": "alpha\nbeta\nGamma\nalpha beta\n",
    "two.py": "beta\n",
    "src/three.ts": "x\nalpha\ny\n",
    ".env": "alpha=1\n",
    ".git/config": "alpha\n",
    "-dash.txt": "-v\n",
  };

  test.each([
    ["files, newest first", { pattern: "alpha" }, [".env", "src/three.ts", "one.ts"]],
    ["in a folder", { pattern: "alpha", path: "src" }, ["src/three.ts"]],
    ["in a file", { pattern: "alpha", path: "one.ts" }, ["one.ts"]],
    ["glob", { pattern: "beta", glob: "*.py" }, ["two.py"]],
    ["several globs", { pattern: "beta", glob: "*.py,*.ts" }, ["two.py", "one.ts"]],
    ["globs apart by blanks", { pattern: "beta", glob: "*.py *.{ts,tsx}" }, ["two.py", "one.ts"]],
    ["a glob for everything leaves .git out", { pattern: "alpha", glob: "**/*" }, [".env", "src/three.ts", "one.ts"]],
    ["type", { pattern: "beta", type: "py" }, ["two.py"]],
    ["ignore case", { pattern: "gamma", "-i": true }, ["one.ts"]],
    ["case matters", { pattern: "gamma" }, undefined],
    ["multiline", { pattern: "alpha.beta", multiline: true }, ["one.ts"]],
    ["a pattern that looks like a flag", { pattern: "-v" }, ["-dash.txt"]],
    [
      "head_limit",
      { pattern: "alpha", head_limit: 1 },
      [".env", "(Results are truncated: 1 shown. Go on with offset 1, or narrow the search.)"],
    ],
    ["offset", { pattern: "alpha", offset: 1 }, ["src/three.ts", "one.ts"]],
    ["path undefined", { pattern: "alpha", path: "undefined", glob: "one*" }, ["one.ts"]],
    ["false flags do not count", { pattern: "beta", type: "py", "-n": false, "-A": 0 }, ["two.py"]],
  ])("%s", async (_name, input, expected) => {
    const tools = await bench();
    await tree(tools, FILES);
    const shown = expected?.map((line) => (line.startsWith("(") ? line : tools.path(line))).join("\n");
    expect(await tools.text("Grep", input)).toBe(shown ?? "No files found");
  });

  test.each([
    ["lines", { pattern: "beta" }, ["2:beta", "4:alpha beta"]],
    ["no numbers", { pattern: "beta", "-n": false }, ["beta", "alpha beta"]],
    ["after", { pattern: "Gamma", "-A": 1 }, ["3:Gamma", "4-alpha beta"]],
    ["before", { pattern: "Gamma", "-B": 1 }, ["2-beta", "3:Gamma"]],
    ["around", { pattern: "Gamma", "-C": 1 }, ["2-beta", "3:Gamma", "4-alpha beta"]],
    ["context is -C", { pattern: "Gamma", context: 1 }, ["2-beta", "3:Gamma", "4-alpha beta"]],
    ["-C wins over -A and -B", { pattern: "Gamma", "-C": 0, "-A": 1, "-B": 1 }, ["3:Gamma"]],
    ["only the match", { pattern: "al[a-z]*", "-o": true }, ["1:alpha", "4:alpha"]],
    [
      "head_limit",
      { pattern: "a", head_limit: 2 },
      ["1:alpha", "2:beta", "(Results are truncated: 2 shown. Go on with offset 2, or narrow the search.)"],
    ],
    ["head_limit of just the number", { pattern: "beta", head_limit: 2 }, ["2:beta", "4:alpha beta"]],
    ["head_limit 0 is all", { pattern: "a", head_limit: 0 }, ["1:alpha", "2:beta", "3:Gamma", "4:alpha beta"]],
    [
      "offset",
      { pattern: "a", offset: 2, head_limit: 1 },
      ["3:Gamma", "(Results are truncated: 1 shown. Go on with offset 3, or narrow the search.)"],
    ],
    ["multiline", { pattern: "beta.Gamma", multiline: true }, ["2:beta", "3:Gamma"]],
  ])("content: %s", async (_name, input, expected) => {
    const tools = await bench();
    await tree(tools, FILES);
    const path = tools.path("one.ts");
    const shown = expected.map((line) => {
      if (line.startsWith("(")) return line;
      return `${path}${/^\d+-/.test(line) ? "-" : ":"}${line}`;
    });
    expect(await tools.text("Grep", { path: "one.ts", output_mode: "content", ...input })).toBe(shown.join("\n"));
  });

  test("count", async () => {
    const tools = await bench();
    await tree(tools, FILES);
    expect(await tools.text("Grep", { pattern: "beta", output_mode: "count", glob: "one*" })).toBe(
      `${tools.path("one.ts")}:2`,
    );
    expect(await tools.text("Grep", { pattern: "nothing", output_mode: "count" })).toBe("No matches found");
    expect(await tools.text("Grep", { pattern: "nothing", output_mode: "content" })).toBe("No matches found");
    expect(await tools.text("Grep", { pattern: "beta", output_mode: "content", offset: 9 })).toBe(
      "Offset 9 is beyond the last of 3 result(s).",
    );
  });

  test.each([
    { "-A": 1 },
    { "-B": 1 },
    { "-C": 1 },
    { context: 2 },
    { "-n": true },
    { "-n": false },
    { "-o": true },
    { "-n": true, "-A": 3, "-B": 3, "-o": true },
  ])("%j is ignored where no content is shown", async (flags) => {
    const tools = await bench();
    await tree(tools, FILES);
    for (const output_mode of [undefined, "files_with_matches", "count"]) {
      const input = { pattern: "beta", ...(output_mode === undefined ? {} : { output_mode }) };
      const flagged = { ...input, ...flags };
      expect(tools.toolbox.facts("Grep", flagged).schemaError).toBeUndefined();
      expect(await tools.text("Grep", flagged)).toBe(await tools.text("Grep", input));
    }
  });

  test.each([
    [{ pattern: "(" }, /^Invalid regex: regex parse error:[\s\S]*unclosed group/],
    [{ pattern: "x", type: "nonsense" }, /^Grep error: unrecognized file type: nonsense/],
    [{ pattern: "x", path: "nowhere" }, /^Path does not exist: .*\/nowhere$/],
    [{ pattern: "x", path: "/etc" }, /is outside the workspace/],
    [{ pattern: "x\0" }, /contains a NUL character/],
    [{ pattern: "x", glob: "[" }, /^Grep error: [\s\S]*error parsing glob/],
  ])("%j", async (input, expected) => {
    const tools = await bench();
    await tree(tools, FILES);
    expect(await tools.error("Grep", input)).toMatch(expected);
  });

  test("what .gitignore names is left out of a repository, and links are not followed", async () => {
    const tools = await bench();
    await tree(tools, { "a.txt": "needle", "skip/b.txt": "needle", ".gitignore": "skip\n" });
    await writeFile(join(tools.outside, "o.txt"), "needle");
    await symlink(tools.outside, tools.path("out"));
    execFileSync("git", ["init", "-q", tools.workspace]);
    expect(await tools.text("Grep", { pattern: "needle" })).toBe(tools.path("a.txt"));
  });

  test("long lines and much output are cut", async () => {
    const tools = await bench();
    await tools.put("wide.txt", `needle ${"x".repeat(10_000)}\n`);
    const line = await tools.text("Grep", { pattern: "needle", output_mode: "content" });
    expect(line.length).toBeLessThan(LIMITS.readLineChars + 200);
    await tools.put("much.txt", `hit ${"y".repeat(90)}\n`.repeat(5_000));
    const text = await tools.text("Grep", { pattern: "hit", path: "much.txt", output_mode: "content", head_limit: 0 });
    expect(text.length).toBeLessThan(LIMITS.grepOutputChars + 200);
    const shown = text.split("\n").length - 1;
    expect(text.split("\n").at(-1)).toBe(
      `(Results are truncated: ${shown} shown. Go on with offset ${shown}, or narrow the search.)`,
    );
    expect(await tools.left()).toEqual([]);
  });

  test("250 lines if nothing else is asked for", async () => {
    const tools = await bench();
    await tools.put("f", "hit\n".repeat(300));
    const lines = (await tools.text("Grep", { pattern: "hit", output_mode: "content" })).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([
      251,
      "(Results are truncated: 250 shown. Go on with offset 250, or narrow the search.)",
    ]);
  });

  test("can be interrupted", async () => {
    const tools = await bench();
    expect(await tools.error("Grep", { pattern: "x" }, { signal: AbortSignal.abort() })).toBe(
      "The search was interrupted.",
    );
    expect(await tools.left()).toEqual([]);
  });
});

test("the server's own folder in the workspace does not exist for tools", async () => {
  const tools = await bench({ hidden: (folder) => [join(folder, "work", ".sally[port]")] });
  await tree(tools, { "a.txt": "needle", ".sally[port]/token": "needle", ".sally[port]/deep/b.txt": "needle" });
  await symlink(".sally[port]", tools.path("link"));
  expect(await tools.text("Glob", { pattern: "**/*" })).toBe(tools.path("a.txt"));
  expect(await tools.text("Grep", { pattern: "needle" })).toBe(tools.path("a.txt"));
  expect(await tools.text("Grep", { pattern: "needle", glob: "**/*" })).toBe(tools.path("a.txt"));
  const file_path = ".sally[port]/token";
  const refusals = [
    await tools.error("Read", { file_path }),
    await tools.error("Read", { file_path: "link/token" }),
    await tools.error("Write", { file_path: ".sally[port]/new", content: "x" }),
    await tools.error("Edit", { file_path, old_string: "needle", new_string: "x" }),
    await tools.error("Grep", { pattern: "needle", path: ".sally[port]" }),
    await tools.error("Glob", { pattern: ".sally\\[port\\]/*", path: "link" }),
    await tools.error("Glob", { pattern: "link/*" }),
  ];
  for (const refusal of refusals) expect(refusal).toMatch(/ belongs to Sallyport itself\. Use another path\.$/);
});
