import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { resolvePath } from "../../src/tools/index.ts";
import { isFullRun } from "../support/sample.ts";
import { bench } from "./fixture.ts";

const SEED = 4711;
/** Trees that are tried. */
const TREES = isFullRun ? 250 : 50;
const USED_TREES = isFullRun ? 300 : 60;
const names = fc.constantFrom("a", "b", "c");
const inner = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
/** Where a link may lead: inside, outside, up, to nothing, to itself. */
const target = fc.oneof(
  inner,
  inner.map((path) => `../${path}`),
  inner.map((path) => `../../outside/${path}`),
  inner.map((path) => `WORK/${path}`),
  inner.map((path) => `OUT/${path}`),
  fc.constantFrom(".", "..", "../..", "OUT", "WORK", "/", "missing/deep", "a", "b"),
);
const node = fc.record({ path: inner, kind: fc.constantFrom("file", "folder", "link", "link"), target });
const asked = fc.oneof(
  fc
    .array(fc.constantFrom("a", "b", "c", "..", ".", "", "new"), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join("/")),
  inner.map((path) => `WORK/${path}`),
  inner.map((path) => `WORK/../outside/${path}`),
  inner.map((path) => `OUT/${path}`),
);

async function build(folder: string, nodes: readonly { path: string; kind: string; target: string }[]): Promise<void> {
  for (const { path, kind, target: to } of nodes) {
    const place = join(folder, "work", path);
    // Whatever is in the way makes this node impossible; then the tree is one smaller.
    try {
      await mkdir(dirname(place), { recursive: true });
      const parent = await realpath(dirname(place));
      if (!parent.startsWith(join(folder, "work"))) continue;
      if (kind === "folder") await mkdir(place);
      else if (kind === "file") await writeFile(place, "inside", { flag: "wx" });
      else await symlink(fill(folder, to), place);
    } catch {
      continue;
    }
  }
}

function fill(folder: string, path: string): string {
  return path.replace("WORK", join(folder, "work")).replace("OUT", join(folder, "outside"));
}

/** Everything below a folder; links are not followed. */
async function below(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    paths.push(path);
    if (entry.isDirectory()) paths.push(...(await below(path)));
  }
  return paths.sort();
}

async function emptied<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-paths-")));
  try {
    await mkdir(join(folder, "work"));
    await mkdir(join(folder, "outside", "a", "b"), { recursive: true });
    await writeFile(join(folder, "outside", "c"), "secret");
    await writeFile(join(folder, "outside", "a", "c"), "secret");
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a path resolves to where the system itself would go", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(node, { maxLength: 8 }), asked, (nodes, path) =>
      emptied(async (folder) => {
        await build(folder, nodes);
        const workspace = join(folder, "work");
        const given = fill(folder, path);
        if (given === "") return;
        const ours = await resolvePath(workspace, given).catch(() => undefined);
        const theirs = await realpath(given.startsWith("/") ? given : `${workspace}/${given}`).catch(() => undefined);
        if (theirs !== undefined) expect(ours).toBe(theirs);
        if (ours === undefined) return;
        // What is answered holds no link any more, as far as it exists.
        let existing = ours;
        while ((await realpath(existing).catch(() => undefined)) === undefined) existing = dirname(existing);
        expect(await realpath(existing)).toBe(existing);
      }),
    ),
    { seed: SEED, numRuns: TREES },
  );
});

test("no path, however twisted, reads or writes outside the workspace", async () => {
  const tools = await bench();
  const folder = dirname(tools.workspace);
  await fc.assert(
    fc.asyncProperty(fc.array(node, { maxLength: 8 }), asked, async (nodes, path) => {
      await rm(tools.workspace, { recursive: true });
      await rm(tools.outside, { recursive: true });
      await mkdir(tools.workspace);
      await mkdir(join(tools.outside, "a", "b"), { recursive: true });
      await writeFile(join(tools.outside, "c"), "secret");
      await writeFile(join(tools.outside, "a", "c"), "secret");
      await build(folder, nodes);
      const file_path = fill(folder, path);
      const before = await below(tools.outside);
      const results = [
        await tools.run("Read", { file_path }),
        await tools.run("Write", { file_path, content: "written" }),
        await tools.run("Edit", { file_path, old_string: "secret", new_string: "changed" }),
      ];
      expect(JSON.stringify(results)).not.toContain("\\tsecret");
      expect(await below(tools.outside)).toEqual(before);
      expect(await readFile(join(tools.outside, "c"), "utf8")).toBe("secret");
      expect(await readFile(join(tools.outside, "a", "c"), "utf8")).toBe("secret");
      // Nothing temporary is left either.
      expect((await below(tools.workspace)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }),
    { seed: SEED, numRuns: USED_TREES },
  );
});

test.each([
  ["relative", "x/y", "WORK/x/y"],
  ["absolute", "/nowhere/at/all", "/nowhere/at/all"],
  ["up and out", "../x", "FOLDER/x"],
  ["home is a name", "~/x", "WORK/~/x"],
  ["doubled slashes", "x//y/./z", "WORK/x/y/z"],
  ["back from nothing", "x/../y", "WORK/y"],
  ["through a link that leads to nothing", "dangling/x", "FOLDER/outside/none/x"],
  ["above the root", "/../../x", "/x"],
])("%s", async (_name, path, expected) => {
  const tools = await bench();
  await symlink("../outside/none", tools.path("dangling"));
  expect(await resolvePath(tools.workspace, path)).toBe(
    expected.replace("WORK", tools.workspace).replace("FOLDER", dirname(tools.workspace)),
  );
});

test.each([
  ["", /empty/],
  ["a\0", /NUL/],
  ["x".repeat(4_097), /longer than/],
])("%j has no place", async (path, expected) => {
  await expect(resolvePath("/w", path)).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(expected) as string,
  });
});
