import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { PRICE } from "./bench.ts";
import { bash, YES, type Scenario } from "./scenario.ts";

const FOLDER = "same";
const SEED = "one\ntwo\nthree\n";

/** What the model says that each of its messages took. */
const TOKENS = {
  input_tokens: 211,
  output_tokens: 31,
  cache_creation_input_tokens: 64,
  cache_read_input_tokens: 128,
} as const;
const COST =
  (TOKENS.input_tokens * PRICE.input +
    TOKENS.output_tokens * PRICE.output +
    TOKENS.cache_creation_input_tokens * PRICE.cache_write +
    TOKENS.cache_read_input_tokens * PRICE.cache_read) /
  1_000_000;

/** By their paths. Every engine, on every API, is held to these. */
const FILES: Readonly<Record<string, string>> = {
  "commands.txt": "first\nsecond\n",
  "edited.txt": "one\n2\nthree\n",
  "made/by-shell.txt": "3\n",
  "written.txt": "„ä“ 🚪\n\ttab\nno newline at the end",
};

const at = (path: string): string => join(FOLDER, path);

/** Each message of the model, with its calls. */
const MESSAGES: readonly (readonly object[])[] = [
  [
    { say: "I look." },
    {
      tools: [
        { tool: "Read", input: { file_path: at("edited.txt") } },
        { tool: "Glob", input: { pattern: `${FOLDER}/*` } },
      ],
    },
  ],
  [{ tool: "Write", input: { file_path: at("written.txt"), content: FILES["written.txt"] } }],
  [{ tool: "Edit", input: { file_path: at("edited.txt"), old_string: "two", new_string: "2" } }],
  [{ tools: [bash(`echo first >> ${at("commands.txt")}`), bash(`echo second >> ${at("commands.txt")}`)] }],
  [bash(`mkdir -p ${at("made")} && wc -l < ${at("edited.txt")} | tr -d ' ' > ${at("made/by-shell.txt")}`)],
  [{ say: "Done." }],
];

async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, "utf8")] as const),
  );
  return Object.fromEntries(found);
}

const same: Scenario = {
  name: "a prompt with tools leaves the same files and the same ledger as with every other engine",
  async run(bench) {
    const main = await bench.main();
    const folder = join(bench.workspace, FOLDER);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "edited.txt"), SEED);
    const before = await bench.client.sessionUsage(main.id);
    const turn = await main.turn(MESSAGES.flatMap((steps) => [{ usage: TOKENS }, ...steps]));
    expect(turn.end).toMatchObject({
      type: "turn.completed",
      usage: {
        input_tokens: MESSAGES.length * TOKENS.input_tokens,
        output_tokens: MESSAGES.length * TOKENS.output_tokens,
        cache_read_tokens: MESSAGES.length * TOKENS.cache_read_input_tokens,
        cache_write_tokens: MESSAGES.length * TOKENS.cache_creation_input_tokens,
        model_calls: bench.told(MESSAGES.length),
      },
      cost_microusd: MESSAGES.length * COST,
    });
    expect(turn.calls.map(({ tool, status }) => `${tool} ${status}`).toSorted()).toEqual([
      "Bash completed",
      "Bash completed",
      "Bash completed",
      "Edit completed",
      "Glob completed",
      "Read completed",
      "Write completed",
    ]);
    expect(await filesIn(folder)).toEqual(FILES);
    const after = await bench.client.sessionUsage(main.id);
    expect(after.cost_microusd - before.cost_microusd).toBe(MESSAGES.length * COST);
    const { lines } = await bench.client.usage({ by: ["turn"], session: main.id });
    expect(lines.find((line) => line.turn === turn.id)).toMatchObject({
      requests: bench.told(MESSAGES.length),
      cost_microusd: MESSAGES.length * COST,
    });
    return YES;
  },
};

export const SAME: readonly Scenario[] = [same];
