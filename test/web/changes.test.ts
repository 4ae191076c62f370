import { describe, expect, it } from "vitest";
import type { ChangeSetFile } from "../../src/protocol/index.ts";
import { commitMessage } from "../../src/sessions/workspace/commit-message.ts";
import { commentPrompt, quotedLine } from "../../src/sessions/workspace/comment-prompt.ts";
import { diffHunks, withHunks } from "../../src/tools/files/diff.ts";
import { filePathIn, filesNamedIn, pictureAddress } from "../../src/web/console/transcript/file-path.ts";
import {
  EVERYTHING,
  hunkHeader,
  isChosen,
  toggleFile,
  toggleHunk,
  wantedOf,
} from "../../src/web/console/pages/changes/selection.ts";
import { hostedAt, programFor } from "../../src/workspaces/publish/pull-request.ts";
import { kindOf, shownAddress, withoutPasswords } from "../../src/workspaces/publish/remotes.ts";

const file = (path: string, status: ChangeSetFile["status"] = "modified"): ChangeSetFile => ({
  path,
  status,
  additions: 1,
  deletions: 1,
});

/** The same numbers each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe("parts of a diff", () => {
  it("all of them are the new text, none the old, and each choice keeps the others' lines", () => {
    const next = numbers(7);
    for (let round = 0; round < 300; round += 1) {
      const old = Array.from({ length: 40 }, (_line, at) => `line ${at % 9}`);
      const now = old.flatMap((line) => (next() < 0.1 ? [] : next() < 0.1 ? [line, "new"] : [line]));
      const [before, after] = [old, now].map((lines) => lines.join("\n") + (next() < 0.5 ? "\n" : "")) as [
        string,
        string,
      ];
      const ids = diffHunks(before, after).map(({ id }) => id);
      expect(withHunks({ before, after }, new Set(ids))).toBe(after);
      expect(withHunks({ before, after }, new Set())).toBe(before);
      const chosen = new Set(ids.filter(() => next() < 0.5));
      const part = withHunks({ before, after }, chosen) ?? "";
      // What is left is exactly what was not chosen.
      expect(withHunks({ before: part, after }, new Set(diffHunks(part, after).map(({ id }) => id)))).toBe(after);
      if (chosen.size < ids.length) expect(part).not.toBe(after);
    }
    expect(withHunks({ before: "a", after: "b" }, new Set(["other"]))).toBeUndefined();
  });

  it("have the headers that the diff shows", () => {
    const hunk = { id: "x", old_start: 3, old_lines: 1, new_start: 3, new_lines: 0 };
    expect(hunkHeader(hunk)).toBe("@@ -3 +2,0 @@");
    expect(hunkHeader({ ...hunk, old_lines: 4, new_lines: 5 })).toBe("@@ -3,4 +3,5 @@");
  });
});

describe("what a person leaves out", () => {
  const list = { revision: "r", files: [file("a"), { ...file("b"), conflict: true as const }] };
  const all = ["1", "2"];

  it("is sent as files and parts", () => {
    expect(wantedOf(list, EVERYTHING, { conflicts: "included" })).toEqual({ revision: "r" });
    expect(wantedOf(list, EVERYTHING, { conflicts: "left out" })).toEqual({ revision: "r", paths: ["a"] });
    const part = toggleHunk(EVERYTHING, "a", { hunk: "2", all });
    expect(wantedOf(list, part, { conflicts: "included" })).toEqual({
      revision: "r",
      paths: ["a", "b"],
      hunks: { a: ["1"] },
    });
    const none = toggleHunk(part, "a", { hunk: "1", all });
    expect(isChosen(none, "a")).toBe(false);
    expect(wantedOf(list, none, { conflicts: "left out" })).toBeUndefined();
    expect(toggleHunk(toggleHunk(none, "a", { hunk: "1", all }), "a", { hunk: "2", all })).toEqual({});
    expect(toggleFile(part, "a")).toEqual({});
    expect(toggleFile(toggleFile({}, "__proto__"), "__proto__")).toEqual({});
  });
});

describe("a proposed message", () => {
  it.each([
    ["Please mend the tests. They fail.", [file("a.ts")], "Mend the tests\n\n- Change a.ts"],
    ["", [file("a.ts", "added")], "Add a.ts"],
    ["???", [file("a.ts"), file("b\nc", "deleted")], "Change a.ts and 1 more file\n\n- Change a.ts\n- Delete b c"],
  ])("for %j", (asked, files, message) => expect(commitMessage(asked, files)).toBe(message));

  it("has a subject of at most 72 characters, and lists at most 20 files", () => {
    const message = commitMessage(
      "word ".repeat(40),
      Array.from({ length: 25 }, (_file, at) => file(`f${at}`)),
    );
    const [subject = "", ...rest] = message.split("\n");
    expect(subject.length).toBeLessThanOrEqual(72);
    expect(rest.at(-1)).toBe("- and 5 more files");
  });
});

describe("comments", () => {
  it("quote the line that they are on", () => {
    expect(quotedLine("a\r\nb\n", 1)).toBe("a");
    expect(quotedLine("a\nb\n", 3)).toBeUndefined();
    expect(commentPrompt([{ path: "a", line: 1, side: "new", quote: "x", text: "y\n\nz" }])).toBe(
      'I looked at your changes and have a comment:\n\n1. "a", line 1:\n\n   > x\n\n   y\n\n   z',
    );
  });
});

describe("where a push may go", () => {
  it.each(["https://github.com/a/b", "ssh://git@host/a", "git@host.example:a/b.git", "host:a"])("%s", async (address) =>
    expect(await kindOf(address, [])).toMatch(/^(https|ssh)$/),
  );

  it.each([
    "ext::sh -c x",
    "ext::x",
    "fd::3",
    "http://host/a",
    "git://host/a",
    "-oProxyCommand=x",
    "ssh://-oProxyCommand=x/a",
    "https:///a",
    "relative/path",
    "host:-x",
    "https://a b/c",
    "a\u0000b:c",
    "",
  ])("not %j", async (address) => expect(kindOf(address, [])).rejects.toMatchObject({ code: "forbidden" }));

  it("shows no password", () => {
    expect(shownAddress("https://me:secret@host/a")).toBe("https://host/a");
    expect(shownAddress("https://token@host/a")).toBe("https://host/a");
    expect(shownAddress("ssh://git:secret@host/a")).toBe("ssh://git@host/a");
    expect(shownAddress("git@host:a/b")).toBe("git@host:a/b");
    expect(withoutPasswords("fatal: https://me:secret@host/a and x://t@h")).toBe("fatal: https://host/a and x://h");
  });

  it.each([
    ["https://github.com/o/r.git", { host: "github.com", path: "o/r" }, "gh"],
    ["git@gitlab.example.com:g/s/r.git", { host: "gitlab.example.com", path: "g/s/r" }, "glab"],
    ["ssh://git@git.example:22/o/r", { host: "git.example", path: "o/r" }, undefined],
    ["https://notgithub.example/o/r", { host: "notgithub.example", path: "o/r" }, undefined],
  ])("%s", (address, hosted, program) => {
    expect(hostedAt(address)).toEqual(hosted);
    expect(programFor(hosted)).toBe(program);
  });

  it.each(["/srv/a.git", "https://github.com/only", "https://github.com/o/r;x"])("no host for %s", (address) =>
    expect(hostedAt(address)).toBeUndefined(),
  );
});

describe("paths in texts", () => {
  it.each([
    ["src/index.ts", "src/index.ts"],
    ["./src/index.ts:12:3", "src/index.ts"],
    ["README.md", "README.md"],
    ["console.log", undefined],
    ["npm test", undefined],
    ["1.2.3", undefined],
    ["../x.ts", undefined],
    ["/etc/passwd.txt", undefined],
    ["https://a.b/c.ts", undefined],
    ["a/b", undefined],
  ])("%s", (text, path) => expect(filePathIn(text)).toBe(path));

  it("an output names each once, without addresses and bare words", () => {
    const output = "wrote src/a.ts:3, ./src/a.ts and (docs/b.md).\nhttps://a.example/c.ts console.log ../up/d.ts e/f";
    expect(filesNamedIn(output)).toEqual(["src/a.ts", "docs/b.md"]);
  });

  it("absolute ones count below the workspace, and pictures without a folder", () => {
    const output = "/work/shop/src/a.ts:3 /work/shop-2/b.ts /work/shop/../c.ts /work/shop/Größe.png Saved to plot.png.";
    expect(filesNamedIn(output, "/work/shop")).toEqual(["src/a.ts", "Größe.png", "plot.png"]);
    expect(filesNamedIn(output)).toEqual(["plot.png"]);
  });

  it.each([
    ["iVBORw0KGgoAAAA", "data:image/png;base64,iVBORw0KGgoAAAA"],
    ["/9j/4AAQ", "data:image/jpeg;base64,/9j/4AAQ"],
    ["R0lGODlh", "data:image/gif;base64,R0lGODlh"],
    ["PHN2Zz48c2NyaXB0Pg", undefined],
    [undefined, undefined],
  ])("what is shown as a picture: %s", (base64, address) => expect(pictureAddress(base64)).toBe(address));
});
