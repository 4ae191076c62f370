import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expandPrompt, loadInstructions, type LoadedInstructions } from "../../src/instructions/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { DiskLook } from "../../src/sessions/workspace/disk-look.ts";
import { instructionReader, type InstructionPlaces } from "../../src/sessions/workspace/instruction-reader.ts";

let root: string;
let workspace: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sallyport-loading-")));
  workspace = join(root, "repository", "inner");
  await mkdir(workspace, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
}

function reader(places: Partial<InstructionPlaces> = {}): ReturnType<typeof instructionReader> {
  const usual = { workspace, around: [], exactly: [], isHidden: () => false, deniedBy: () => undefined };
  return instructionReader({ ...usual, ...places }, new DiskLook(Date.now));
}

function load(
  places: Partial<InstructionPlaces> = {},
  more: { readonly followsImports?: boolean; readonly userFile?: string } = {},
): Promise<LoadedInstructions> {
  const folders = [...(places.around ?? []), workspace];
  return loadInstructions(reader(places), { workspace, folders, followsImports: true, ...more });
}

const paths = ({ files }: LoadedInstructions): readonly string[] => files.map(({ kind, path }) => `${kind} ${path}`);
const reasons = ({ left_out }: LoadedInstructions): readonly string[] =>
  left_out.map(({ path, why }) => `${path}: ${why}`);

describe("files of instructions", () => {
  it("come from the outermost folder to the workspace, each once", async () => {
    await put({
      "../CLAUDE.md": "outer",
      "../AGENTS.md": "outer too",
      "CLAUDE.md": "inner",
      ".claude/CLAUDE.md": "of the folder",
      "CLAUDE.local.md": "mine",
    });
    await symlink("CLAUDE.md", join(workspace, "AGENTS.md"));
    const loaded = await load({ around: [dirname(workspace)] });
    expect(loaded.texts.map(({ text }) => text)).toEqual(["outer too", "outer", "inner", "of the folder", "mine"]);
    expect(loaded.texts[0]?.path).toBe(join(dirname(workspace), "AGENTS.md"));
    expect(paths(await load())).toEqual([
      "instructions AGENTS.md",
      "instructions .claude/CLAUDE.md",
      "instructions CLAUDE.local.md",
    ]);
  });

  it("with equal contents are read once", async () => {
    await put({ "AGENTS.md": "the same", "CLAUDE.md": "the same" });
    expect(paths(await load())).toEqual(["instructions AGENTS.md"]);
  });

  it("have the same digest until one changes", async () => {
    expect((await load()).digest).toBe("");
    await put({ "CLAUDE.md": "one" });
    const { digest } = await load();
    expect((await load()).digest).toBe(digest);
    await put({ "CLAUDE.md": "two" });
    expect((await load()).digest).not.toBe(digest);
  });

  it("import others, in a loop, too deep and too many", async () => {
    await put({
      "CLAUDE.md": "@a.md @missing.md",
      "a.md": "@sub/b.md @CLAUDE.md",
      "sub/b.md": "@../c.md",
      "c.md": "@d.md",
      "d.md": "@e.md",
      "e.md": "@f.md",
      "f.md": "too deep",
    });
    const loaded = await load();
    expect(paths(loaded)).toEqual([
      "instructions CLAUDE.md",
      "import a.md",
      "import sub/b.md",
      "import c.md",
      "import d.md",
      "import e.md",
    ]);
    expect(reasons(loaded)).toEqual(["e.md: its import @f.md is deeper than 5 files"]);
    expect(paths(await load({}, { followsImports: false }))).toEqual(["instructions CLAUDE.md"]);
    await put({ "CLAUDE.md": Array.from({ length: 1_000 }, (_, index) => `@x${index}.md`).join(" ") });
    expect(reasons(await load())).toEqual([
      `CLAUDE.md: more than ${LIMITS.instructionImports} imports are not followed`,
    ]);
  });

  it("have bounds in number and bytes", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}.md`, `number ${index}`]));
    await put({
      ...many,
      "CLAUDE.md": Object.keys(many)
        .map((name) => `@${name}`)
        .join("\n"),
    });
    const loaded = await load();
    expect([loaded.files.length, loaded.left_out.length]).toEqual([LIMITS.instructionFiles, 29]);
    expect(reasons(loaded)[0]).toBe(`x31.md: ${LIMITS.instructionFiles} files of instructions are loaded at most`);
    const size = LIMITS.instructionFileBytes;
    await put({
      "CLAUDE.md": "@x1.md @x2.md @x3.md",
      "x1.md": "1".repeat(size),
      "x2.md": "2".repeat(size - 100),
      "x3.md": "3".repeat(size),
    });
    expect(reasons(await load())).toEqual([
      `x3.md: all instructions together may have ${LIMITS.instructionBytes} bytes`,
    ]);
    await put({ "CLAUDE.md": "x".repeat(size + 1) });
    expect(reasons(await load())).toEqual([`CLAUDE.md: it has more than ${size} bytes`]);
  });

  it("may not be binary, pipes, folders, hidden, denied or behind links that lead away", async () => {
    await put({
      "../secret.md": "SECRET",
      "AGENTS.md": Buffer.from([0xff, 0xfe, 0x41]),
      "hidden/x.md": "h",
      "denied.md": "d",
    });
    await mkdir(join(workspace, ".claude/CLAUDE.md"), { recursive: true });
    await symlink("../secret.md", join(workspace, "CLAUDE.md"));
    execFileSync("mkfifo", [join(workspace, "CLAUDE.local.md")]);
    const loaded = await load();
    expect(paths(loaded)).toEqual([]);
    expect(reasons(loaded)).toEqual([
      "AGENTS.md: it is not text in UTF-8",
      "CLAUDE.md: it is outside of the workspace",
      "CLAUDE.local.md: it is not a regular file that can be read",
    ]);
    await rm(join(workspace, "CLAUDE.md"));
    await rm(join(workspace, "CLAUDE.local.md"));
    await put({ "AGENTS.md": "@hidden/x.md @denied.md @loop.md" });
    await symlink("loop.md", join(workspace, "loop.md"));
    const places = {
      isHidden: (real: string) => real.includes("/hidden/"),
      deniedBy: (real: string) => (real.endsWith("/denied.md") ? "Read(denied.md)" : undefined),
    };
    expect(reasons(await load(places))).toEqual([
      "hidden/x.md: it belongs to Sallyport itself",
      "denied.md: the policy denies it (Read(denied.md))",
      "loop.md: its path cannot be followed",
    ]);
  });

  it("of the user are read where the settings name them, and import nothing", async () => {
    await put({ "../home/CLAUDE.md": "mine @../secret.md", "../secret.md": "SECRET" });
    const userFile = join(dirname(workspace), "home/CLAUDE.md");
    expect(paths(await load({ exactly: [userFile] }, { userFile }))).toEqual([`user ${userFile}`]);
    expect(reasons(await load({}, { userFile }))).toEqual([`${userFile}: it is outside of the workspace`]);
  });

  it("that nobody may read are named", async () => {
    await put({ "CLAUDE.md": "words" });
    await chmod(join(workspace, "CLAUDE.md"), 0);
    const loaded = await load();
    // The superuser reads it all the same.
    if (process.getuid?.() === 0) expect(paths(loaded)).toEqual(["instructions CLAUDE.md"]);
    else expect(reasons(loaded)).toEqual(["CLAUDE.md: it is not a regular file that can be read"]);
  });
});

describe("skills, commands and agents", () => {
  it("have their names, and say what they are for", async () => {
    await put({
      ".claude/skills/b/SKILL.md": "---\ndescription: does b\nargument-hint: [file]\n---\nhow",
      ".claude/skills/a/SKILL.md": "# Does a\nhow",
      ".claude/skills/none/README.md": "nothing",
      ".claude/commands/c.md": "do c",
      ".claude/commands/group/d.md": "do d",
      ".claude/commands/group/deeper/e.md": "too deep",
      ".claude/commands/notes.txt": "none",
      ".claude/agents/f.md": "---\ndescription: does f\ntools: Read\n---\nYou do f.",
      ".claude/agents/g.md": "---\nname: named\ndescription: does g\nmodel: opus\n---\nYou do g.",
      ".claude/agents/h.md": "no description",
    });
    const loaded = await load();
    expect(loaded.skills).toEqual([
      { name: "a", description: "Does a" },
      { name: "b", description: "does b" },
    ]);
    expect(loaded.commands.map(({ name, kind, argument_hint }) => [name, kind, argument_hint])).toEqual([
      ["a", "skill", undefined],
      ["b", "skill", "[file]"],
      ["c", "command", undefined],
      ["d", "command", undefined],
    ]);
    expect(loaded.agents).toEqual({
      f: { description: "does f", prompt: "You do f.", tools: ["Read"] },
      named: { description: "does g", prompt: "You do g." },
    });
    expect(reasons(loaded)).toEqual([".claude/agents/h.md: it has no description or no prompt"]);
  });

  it("do not take each other's names, nor ours", async () => {
    await put({
      ".claude/skills/same/SKILL.md": "skill",
      ".claude/commands/same.md": "command",
      ".claude/commands/Model.md": "ours",
      ".claude/skills/usage/SKILL.md": "a skill of this name is no command",
      ".claude/agents/a.md": "---\nname: x\ndescription: one\n---\np",
      ".claude/agents/b.md": "---\nname: x\ndescription: two\n---\np",
    });
    const loaded = await load();
    expect(loaded.commands.map(({ name, kind }) => [name, kind])).toEqual([["same", "skill"]]);
    expect(loaded.skills.map(({ name }) => name)).toEqual(["same", "usage"]);
    expect(reasons(loaded)).toEqual([
      ".claude/commands/Model.md: /Model is a command of Sallyport itself",
      ".claude/commands/same.md: there is another command /same",
      ".claude/agents/b.md: there is another agent x",
    ]);
  });

  it("ten thousand of them are looked at up to a bound, and the reasons are bounded too", async () => {
    await mkdir(join(workspace, ".claude/skills"), { recursive: true });
    await mkdir(join(workspace, ".claude/agents"), { recursive: true });
    for (let index = 0; index < 10_000; index += 1) await mkdir(join(workspace, `.claude/skills/s${index}`));
    for (let index = 0; index < 2_000; index += 1) {
      await writeFile(join(workspace, `.claude/skills/s${index}/SKILL.md`), `---\ndescription: ${index}\n---\n`);
      await writeFile(join(workspace, `.claude/agents/bad name ${index}.md`), "---\ndescription: d\n---\np");
    }
    const loaded = await load();
    expect(loaded.skills.length).toBeLessThanOrEqual(LIMITS.workspaceSkills);
    expect(loaded.left_out).toHaveLength(LIMITS.leftOutFiles);
    expect(loaded.left_out.at(-1)).toMatchObject({
      path: "",
      why: expect.stringMatching(/^\d+ more files were left out$/),
    });
    expect(reasons(loaded)).toContain(
      `.claude/skills: only ${LIMITS.workspaceFolderEntries} of its names are looked at`,
    );
  }, 60_000);

  it("behind links that lead away are not read", async () => {
    await put({ "../outside/commands/x.md": "SECRET", "../outside/skills/y/SKILL.md": "SECRET" });
    await mkdir(join(workspace, ".claude"));
    for (const name of ["commands", "skills"]) await symlink(`../../outside/${name}`, join(workspace, ".claude", name));
    const loaded = await load();
    expect([paths(loaded), loaded.commands, loaded.skills]).toEqual([[], [], []]);
    expect(await expandPrompt(reader(), "/x", { workspace })).toBeUndefined();
  });

  it("a prompt is expanded by what stands in the file now", async () => {
    await put({
      ".claude/commands/fix.md": "---\nallowed-tools: Bash\n---\nFix $1.",
      ".claude/skills/s/SKILL.md": "How.",
    });
    expect(await expandPrompt(reader(), "/fix 12 now", { workspace })).toMatchObject({ text: "Fix 12." });
    expect(await expandPrompt(reader(), "/s it", { workspace })).toMatchObject({ text: "How.\n\nARGUMENTS: it" });
    expect(await expandPrompt(reader(), "/none", { workspace })).toBeUndefined();
    expect(await expandPrompt(reader(), "fix it", { workspace })).toBeUndefined();
  });
});
