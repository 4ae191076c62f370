import { expect, test } from "vitest";
import { proveReading, type ReadableFiles } from "../../src/gate/index.ts";
import { readableFiles } from "../../src/tools/shell/reading.ts";
import type { Bench } from "../tools/fixture.ts";
import { ASKED } from "./reading-lines/asked.ts";
import { UNASKED } from "./reading-lines/unasked.ts";
import { readingWorld } from "./reading-lines/world.ts";

/** As if every program were installed: the table is about lines, not about this machine. */
function proving({ workspace, session }: Bench): (line: string) => ReturnType<typeof proveReading> {
  const real = readableFiles(session);
  const files: ReadableFiles = {
    ...real,
    look: async (path) => (path.startsWith("/usr/bin/") ? { real: path, exists: true } : real.look(path)),
  };
  return (line) =>
    proveReading(line.replaceAll("/WORKSPACE", workspace), { folder: { cwd: workspace, workspace }, files });
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
