import { expect, test } from "vitest";
import { proveReading, type ReadableFiles } from "../../src/gate/index.ts";
import { tameSettings } from "../../src/gate/reading/git.ts";
import { readableFiles } from "../../src/tools/shell/reading.ts";
import type { Bench } from "../tools/fixture.ts";
import { ASKED } from "./reading-lines/asked.ts";
import { UNASKED } from "./reading-lines/unasked.ts";
import { readingWorld } from "./reading-lines/world.ts";

/** As if every program were installed: the table is about lines, not about this machine. */
function proving({ workspace, session }: Bench): (line: string) => ReturnType<typeof proveReading> {
  return (line) => {
    const real = readableFiles(session);
    const files: ReadableFiles = {
      ...real,
      look: async (path) => (path.startsWith("/usr/bin/") ? { real: path, exists: true } : real.look(path)),
    };
    return proveReading(line.replaceAll("/WORKSPACE", workspace), { folder: { cwd: workspace, workspace }, files });
  };
}

test("lines that only read are proven, and near misses are not", async () => {
  const world = await readingWorld();
  const prove = proving(world);
  const wrong: [string, unknown][] = [];
  for (const line of UNASKED) {
    const proven = await prove(line);
    if (typeof proven === "string") wrong.push([line, proven]);
  }
  for (const line of ASKED) {
    const proven = await prove(line);
    if (typeof proven !== "string") wrong.push([line, proven]);
  }
  expect(wrong).toEqual([]);
});

test("the table is as large as it should be", () => {
  const lines = [...UNASKED, ...ASKED];
  const programs = new Set(
    UNASKED.flatMap((line) => line.split(/[|;&\n]+/)).map((part) => /^\s*([a-z\d[]+)/.exec(part)?.[1]),
  );
  expect([new Set(lines).size, lines.length >= 400, programs.size >= 40]).toEqual([lines.length, true, true]);
});

test("what takes long to look at is asked about", async () => {
  const world = await readingWorld();
  const prove = proving(world);
  const lines = [
    `cat ${"a.txt ".repeat(600)}`,
    `cat ${"src/* ".repeat(400)}`,
    `ls ${"a".repeat(4_000)}`,
    "ls *a*b*c*d*e*f",
    "cat src/*; ".repeat(200),
    "grep -r x many",
    "ls many/*",
  ];
  await Promise.all(Array.from({ length: 2_100 }, (_, index) => world.put(`many/${index}.ts`, "")));
  expect(await Promise.all(lines.map(async (line) => typeof (await prove(line))))).toEqual(lines.map(() => "string"));
  expect(await prove("ls many | head -3")).toMatchObject({ programs: ["ls", "head"] });
});

test("a repository's settings are tame only as far as they are known", () => {
  const head = "[core]\n\trepositoryformatversion = 0\n";
  const tame = [
    "",
    "# a\n",
    '[remote "origin"]\n\turl = https://x.org/y\n',
    "[CORE]\n\tFileMode=true ; c\n",
    "[user]\n\tname\n",
  ];
  const wild = [
    "[core]\n\tfsmonitor = x\n",
    "[core]\n\tFSMONITOR = x\n",
    "[core] fsmonitor = x\n",
    '[core ""]\n\tfilemode = x\n',
    "[core.x]\n\tfilemode = x\n",
    "[include]\n\tpath = x\n",
    '[includeIf "gitdir:x"]\n\tpath = x\n',
    "[user]\n\tname = a\\\n[core]\n",
    '[user]\n\tname = "a\n',
    "[user]\r\n\tname = a\n",
    "[x]\n\ty = z\n",
    "[user\n",
    '[filter "lfs"]\n\tclean = git-lfs\n',
    '[diff "x"]\n\ttextconv = x\n',
    "[diff]\n\texternal = x\n",
    "[alias]\n\tstatus = !x\n",
    "[extensions]\n\tworktreeConfig = true\n",
    "[core]\n\tworktree = /\n",
    "[core]\n\thooksPath = x\n",
    "[core]\n\tattributesFile = x\n",
    "[gpg]\n\tprogram = x\n",
    "[log]\n\tshowSignature = true\n",
    "[status]\n\tsubmoduleSummary = true\n",
    "[pager]\n\tlog = x\n",
    "[user]\n\tname = a\u000b\n",
  ];
  expect(tame.map((text) => tameSettings(head + text))).toEqual(tame.map(() => ({ credentials: false })));
  expect(wild.map((text) => tameSettings(head + text))).toEqual(wild.map(() => undefined));
  expect(tameSettings("name = a\n")).toBeUndefined();
  expect(tameSettings('[remote "o"]\n\turl = https://a:b@x.org/y\n')).toEqual({ credentials: true });
});
