import { execFileSync } from "node:child_process";
import { chmod, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { applyChanges, discardChanges } from "../../src/workspaces/index.ts";
import { filesBelow, makeWorld, withChanges } from "./world.ts";

test.each([undefined, false])(
  "after random edits (overlay: %s) applying makes the folder the same, but for conflicts",
  async (overlay) => {
    await using world = await makeWorld(overlay);
    const next = random(14);
    await randomEdits(world.source, 60, next);
    for (let round = 0; round < 6; round += 1) {
      const id = `ses_${round}`;
      await world.trees.make(id, { mode: "snapshot", filters: ["none"], source: world.source });
      const { tree, release } = await world.trees.use(id);
      await randomEdits(tree.workspace, 25, next);
      // Somebody works in the folder meanwhile.
      if (round % 2 === 1) await randomEdits(world.source, 5, next);
      const before = await filesBelow(world.source);
      const wanted = await filesBelow(tree.workspace);
      await withChanges(world, id, async ({ tree: open, base, changes }) => {
        const conflicts = changes.filter(({ fit }) => fit === "conflict").map(({ path }) => path);
        await applyChanges(
          open,
          base,
          changes.filter(({ fit }) => fit !== "conflict"),
        );
        const after = await filesBelow(world.source);
        for (const path of conflicts) expect([path, after[path]]).toEqual([path, before[path]]);
        const touched = new Set(changes.map(({ path }) => path));
        for (const path of touched)
          if (!conflicts.includes(path)) expect([path, after[path]]).toEqual([path, wanted[path]]);
        for (const path of Object.keys(before))
          if (!touched.has(path)) expect([path, after[path]]).toEqual([path, before[path]]);
        if (round % 2 === 0) expect(after).toEqual(wanted);
      });
      await release();
      await withChanges(world, id, async ({ tree: open, base, changes }) => {
        await discardChanges(open, base, changes);
      });
      expect(await withChanges(world, id, ({ changes }) => Promise.resolve(changes))).toEqual([]);
    }
    expect(execFileSync("find", [world.source, "-name", "*sallyport*"], { encoding: "utf8" })).toBe("");
  },
);

/** The same numbers each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const NAMES = ["a", "b", "c d", "é", "-x", "f"];

/** Writes, deletes, makes executable and links files, and turns files into folders and back. */
async function randomEdits(folder: string, count: number, next: (below: number) => number): Promise<void> {
  for (let edit = 0; edit < count; edit += 1) {
    const path = Array.from({ length: 1 + next(3) }, () => NAMES[next(NAMES.length)]).join("/");
    const full = join(folder, path);
    const what = next(6);
    for (let above = dirname(path); above !== "."; above = dirname(above)) {
      const found = await lstat(join(folder, above)).catch(() => undefined);
      if (found !== undefined && !found.isDirectory()) await rm(join(folder, above));
    }
    await mkdir(dirname(full), { recursive: true });
    await rm(full, { recursive: true, force: true });
    if (what === 0) continue;
    if (what === 1) await symlink(NAMES[next(NAMES.length)] ?? "a", full);
    else await writeFile(full, `${"line\n".repeat(next(3))}${next(1_000_000)}`);
    if (what === 2) await chmod(full, 0o755);
  }
}
