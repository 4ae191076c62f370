import { mkdir, mkdtemp, realpath, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadInstructions } from "../../src/instructions/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { DiskLook } from "../../src/sessions/workspace/disk-look.ts";
import { instructionReader } from "../../src/sessions/workspace/instruction-reader.ts";

let workspace: string;
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "sallyport-look-")));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

/** A clock by which all files are old. */
const later = (): number => Date.now() + LIMITS.instructionSettledMs + 60_000;

async function lookOf(now = later): Promise<DiskLook> {
  const look = new DiskLook(now);
  const places = { workspace, around: [], exactly: [], isHidden: () => false, deniedBy: () => undefined };
  const request = { workspace, folders: [workspace], followsImports: true };
  await loadInstructions(instructionReader(places, look), request);
  return look;
}

it.each<[string, () => Promise<void>]>([
  ["a new file", () => writeFile(join(workspace, "AGENTS.md"), "new")],
  ["other contents", () => writeFile(join(workspace, "CLAUDE.md"), "@docs/other.md")],
  ["a file that is gone", () => unlink(join(workspace, "CLAUDE.md"))],
  ["another import", () => writeFile(join(workspace, "docs/style.md"), "other")],
  ["an import that was missing", () => writeFile(join(workspace, "missing.md"), "here")],
  ["the file behind a link", () => writeFile(join(workspace, "behind.md"), "other words")],
  ["a new skill", () => mkdir(join(workspace, ".claude/skills/new"))],
])("%s is seen", async (_what, change) => {
  await mkdir(join(workspace, "docs"));
  await mkdir(join(workspace, ".claude/skills"), { recursive: true });
  await writeFile(join(workspace, "CLAUDE.md"), "@docs/style.md @missing.md");
  await writeFile(join(workspace, "docs/style.md"), "style");
  await writeFile(join(workspace, "behind.md"), "words");
  await symlink("behind.md", join(workspace, "CLAUDE.local.md"));
  const look = await lookOf();
  expect(await look.isSame()).toBe(true);
  await change();
  expect(await look.isSame()).toBe(false);
});

it("a folder that appears in an empty workspace is seen", async () => {
  const look = await lookOf();
  expect(await look.isSame()).toBe(true);
  await mkdir(join(workspace, ".claude"));
  expect(await look.isSame()).toBe(false);
});

it("a file that has just changed is read again: its time could stay the same", async () => {
  await writeFile(join(workspace, "CLAUDE.md"), "one");
  expect(await (await lookOf(Date.now)).isSame()).toBe(false);
});

it("more files than can be compared are read again", async () => {
  const look = new DiskLook(later);
  for (let index = 0; index < LIMITS.instructionLooks; index += 1) await look.at(join(workspace, `${index}`), "all");
  expect(await look.isSame()).toBe(true);
  await look.at(join(workspace, "one more"), "all");
  expect(await look.isSame()).toBe(false);
});
