import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nestedFolders } from "../../src/instructions/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { DiskLook } from "../../src/sessions/workspace/disk-look.ts";
import { instructionReader, type InstructionPlaces } from "../../src/sessions/workspace/instruction-reader.ts";
import { NestedTold } from "../../src/sessions/workspace/nested-told.ts";

describe("folders on the way to a file", () => {
  it.each([
    ["/w/a/b/c.ts", ["/w/a", "/w/a/b", "/w/a/b/c.ts"]],
    ["/w/c.ts", ["/w/c.ts"]],
    ["/w", []],
    ["/other/c.ts", []],
    ["/w/node_modules/x/y.js", []],
    ["/w/a/vendor/x.go", []],
    ["/w/.git/config", []],
  ])("%s", (path, folders) => {
    expect(nestedFolders("/w", path)).toEqual(folders);
  });

  it("are bounded", () => {
    expect(nestedFolders("/w", `/w/${"d/".repeat(100)}f`)).toHaveLength(LIMITS.instructionFolders);
  });
});

let workspace: string;
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "sallyport-nested-")));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
}

interface Working {
  readonly agent?: string;
  readonly known?: readonly string[];
  readonly places?: Partial<InstructionPlaces>;
}

function tell(
  told: NestedTold,
  paths: readonly string[],
  { agent = "", known = [], places = {} }: Working = {},
): Promise<string> {
  const usual = { workspace, around: [], exactly: [], isHidden: () => false, deniedBy: () => undefined };
  const reader = instructionReader({ ...usual, ...places }, new DiskLook(Date.now));
  return told.tell({ agent, paths: paths.map((path) => join(workspace, path)), workspace, known, reader });
}

describe("instructions of folders", () => {
  it("are told where an agent works, the outermost first, with their imports", async () => {
    await put({
      "packages/AGENTS.md": "OUTER",
      "packages/a/CLAUDE.md": "INNER, see @style.md",
      "packages/a/style.md": "STYLE",
      "packages/b/CLAUDE.md": "OTHER",
      "CLAUDE.md": "ROOT",
    });
    const told = new NestedTold();
    const block = await tell(told, ["packages/a/src/x.ts"]);
    expect(block.match(/path="[^"]*"/g)).toEqual([
      'path="packages/AGENTS.md"',
      'path="packages/a/CLAUDE.md"',
      'path="packages/a/style.md"',
    ]);
    expect(told.files.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "nested packages/AGENTS.md",
      "nested packages/a/CLAUDE.md",
      "import packages/a/style.md",
    ]);
    expect(await tell(told, ["packages/b"])).toContain("OTHER");
  });

  it("are told once to each agent, and again when they have changed or the conversation was shortened", async () => {
    await put({ "a/CLAUDE.md": "FIRST" });
    const told = new NestedTold();
    expect(told.digest).toBe("");
    expect(await tell(told, ["a/x.ts"])).toContain("FIRST");
    const { digest } = told;
    expect(await tell(told, ["a/y.ts"])).toBe("");
    expect(await tell(told, ["a/y.ts"], { agent: "item_1" })).toContain("FIRST");
    expect(told.digest).toBe(digest);
    await put({ "a/CLAUDE.md": "SECOND" });
    expect(await tell(told, ["a/y.ts"])).toBe("");
    told.begin();
    expect(await tell(told, ["a/y.ts"])).toContain("SECOND");
    expect(told.digest).not.toBe(digest);
    told.forget();
    expect(await tell(told, ["a/z.ts"])).toContain("SECOND");
  });

  it("are not told where the agent knows them, and neither rules nor programs come with them", async () => {
    await put({
      "a/CLAUDE.md": "KNOWN",
      "a/.claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash"] } }),
      "a/.claude/skills/x/SKILL.md": "SKILL",
      "a/.mcp.json": JSON.stringify({ mcpServers: {} }),
    });
    const first = new NestedTold();
    await tell(first, ["a/x.ts"]);
    expect(first.files.map(({ path }) => path)).toEqual(["a/CLAUDE.md"]);
    const [known] = first.files.map(({ sha256 }) => sha256);
    const second = new NestedTold();
    expect(await tell(second, ["a/x.ts"], { known: [known ?? ""] })).toBe("");
    expect(second.files).toEqual([]);
  });

  it("cannot bring what the session may not read", async () => {
    await put({ "a/CLAUDE.md": "see @.env and @/etc/hostname", "a/.env": "SECRET", "b/CLAUDE.md": "DENIED" });
    await mkdir(join(workspace, "c"));
    await symlink("/etc/hostname", join(workspace, "c/CLAUDE.md"));
    const told = new NestedTold();
    const places = { deniedBy: (real: string) => (real.includes("/b/") ? "Read(b/**)" : undefined) };
    const block = await tell(told, ["a/x.ts", "b/x.ts", "c/x.ts"], { places });
    expect(block).not.toMatch(/SECRET|DENIED/);
    expect(told.leftOut.map(({ path, why }) => `${path}: ${why}`)).toEqual([
      "a/.env: a file of this name usually holds a secret",
      "/etc/hostname: it is outside of the workspace",
      "b/CLAUDE.md: the policy denies it (Read(b/**))",
      "c/CLAUDE.md: it is outside of the workspace",
    ]);
  });

  it("have a bound for a whole session", async () => {
    const folders = Array.from({ length: LIMITS.instructionFiles + 2 }, (_none, index) => `f${index}`);
    await put(Object.fromEntries(folders.map((folder) => [`${folder}/AGENTS.md`, `OF-${folder}.`])));
    const told = new NestedTold();
    const blocks = [];
    for (const folder of folders) blocks.push(await tell(told, [`${folder}/x`]));
    expect(blocks.filter((block) => block !== "")).toHaveLength(LIMITS.instructionFiles);
    expect(told.leftOut).toHaveLength(2);
  });
});
