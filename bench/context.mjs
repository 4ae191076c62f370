// (o) What a turn loads of a repository of 20,000 files: its instructions, skills, commands and agents, against reading exactly these files
// one by one; the look before a turn that finds nothing changed; and instructions of a folder below. The same with a small repository shows
// whether its size matters.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadInstructions } from "../dist/instructions/index.js";
import { LIMITS } from "../dist/protocol/index.js";
import { DiskLook } from "../dist/sessions/workspace/disk-look.js";
import { instructionReader } from "../dist/sessions/workspace/instruction-reader.js";
import { NestedTold } from "../dist/sessions/workspace/nested-told.js";
import { median } from "./children.mjs";
import { sized } from "./size.mjs";

const FILES = sized({ large: 20_000, small: 20 }, { large: 200, small: 20 });
const ROUNDS = sized(200, 2);
const WARM_UP = sized(20, 0);
const PER_FOLDER = 100;
/** A look trusts files that have been as they are for a while: to it, it is later. */
const later = () => Date.now() + 2 * LIMITS.instructionSettledMs;

export async function contextBench() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-bench-")));
  try {
    const large = await measure(join(folder, "large"), FILES.large);
    const small = await measure(join(folder, "small"), FILES.small);
    const ratio = Number((large.load_ms / small.load_ms).toFixed(2));
    return { goal: "large as small: at most 1.2 times", large_to_small: ratio, large, small };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(workspace, files) {
  const said = await makeRepository(workspace, files);
  const reader = () =>
    instructionReader(
      { workspace, around: [], exactly: [], isHidden: () => false, deniedBy: () => undefined },
      new DiskLook(later),
    );
  const load = () => loadInstructions(reader(), { workspace, folders: [workspace], followsImports: true });
  const { files: loaded, left_out } = await load();
  if (loaded.length !== said.length || left_out.length > 0)
    throw new Error(`${loaded.length} of ${said.length} loaded`);
  const look = new DiskLook(later);
  await loadInstructions(
    instructionReader({ workspace, around: [], exactly: [], isHidden: () => false, deniedBy: () => undefined }, look),
    { workspace, folders: [workspace], followsImports: true },
  );
  const bare = async () => {
    for (const path of said) await readFile(join(workspace, path), "utf8");
  };
  const nested = async () => {
    const told = new NestedTold();
    const paths = [join(workspace, "src/d0/f0.ts")];
    const block = await told.tell({ agent: "", paths, workspace, known: [], reader: reader() });
    if (!block.includes("D0-WORDS")) throw new Error("the folder's instructions were not told");
  };
  const same = async () => {
    if (!(await look.isSame())) throw new Error("a file seems to have changed");
  };
  const [bare_ms, load_ms, same_ms, nested_ms] = await inTurn([bare, load, same, nested]);
  return { files, bare_ms, load_ms, ratio: Number((load_ms / bare_ms).toFixed(2)), same_ms, nested_ms };
}

/** Medians, each in turn with the others. */
async function inTurn(works) {
  const times = works.map(() => []);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1)
    for (const [index, work] of works.entries()) {
      const began = performance.now();
      await work();
      if (round >= WARM_UP) times[index].push(performance.now() - began);
    }
  return times.map((values) => Number(median(values).toFixed(3)));
}

/** Answers which files are for agents. */
async function makeRepository(workspace, files) {
  const said = {
    "AGENTS.md": "Tests first. See @docs/style.md\n",
    "CLAUDE.md": "Two blanks.\n",
    "docs/style.md": "Short words.\n",
  };
  for (let index = 0; index < 20; index += 1)
    said[`.claude/skills/skill${index}/SKILL.md`] =
      `---\nname: skill${index}\ndescription: does ${index}\n---\nHow it is done: ${index}\n`;
  for (let index = 0; index < 10; index += 1) {
    said[`.claude/commands/command${index}.md`] = `---\ndescription: command ${index}\n---\nDo $ARGUMENTS (${index})\n`;
    said[`.claude/agents/agent${index}.md`] =
      `---\nname: agent${index}\ndescription: agent ${index}\n---\nYou do ${index}.\n`;
  }
  const code = { "src/d0/CLAUDE.md": "D0-WORDS\n" };
  for (let index = 0; index < files; index += 1)
    code[`src/d${Math.floor(index / PER_FOLDER)}/f${index}.ts`] = `export const value${index} = ${index};\n`;
  for (const [path, text] of Object.entries({ ...said, ...code })) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  return Object.keys(said);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(JSON.stringify(await contextBench(), null, 2));
