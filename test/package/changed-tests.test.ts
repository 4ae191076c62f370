import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { changedSince, testGraph, testsFor } from "../../scripts/changed-tests.mjs";

const root = resolve(import.meta.dirname, "../..");
const graph = testGraph(root);

it.each([
  {
    changed: "src/web/workbench/viewers/calendar/model.ts",
    runs: ["test/web/workbench/viewers/calendar.test.ts", "test/e2e/workbench/shell.test.ts"],
    leaves: ["test/gate/rules.test.ts", "test/e2e/console/keyboard.test.ts", "test/store/crash.test.ts"],
  },
  {
    changed: "src/web/console/app/shell.tsx",
    runs: ["test/e2e/console/keyboard.test.ts"],
    leaves: ["test/e2e/workbench/shell.test.ts", "test/gate/rules.test.ts"],
  },
  {
    // A worker thread's file, which nobody imports.
    changed: "src/store/sqlite/writer.ts",
    runs: ["test/store/crash.test.ts", "test/surfaces/usage.test.ts"],
    leaves: ["test/gate/rules.test.ts", "test/web/panel/words.test.ts"],
  },
  {
    changed: "src/gate/evaluate.ts",
    runs: ["test/gate/evaluate.test.ts", "test/cli/run.test.ts", "test/e2e/console/decisions.test.ts"],
    leaves: ["test/web/panel/words.test.ts", "test/ledger/model.test.ts"],
  },
  {
    changed: "test/tools/golden/openai.json",
    runs: ["test/tools/toolbox.test.ts"],
    leaves: ["test/gate/rules.test.ts"],
  },
  {
    changed: "docs/operations/telemetry.md",
    runs: ["test/docs/papers.test.ts", "test/telemetry/documented.test.ts"],
    leaves: ["test/surfaces/usage.test.ts"],
  },
])("a change of $changed", ({ changed, runs, leaves }) => {
  const tests = testsFor(root, [changed], graph) ?? [];
  expect(runs.filter((test) => !tests.includes(test))).toEqual([]);
  expect(leaves.filter((test) => tests.includes(test))).toEqual([]);
});

it("runs everything after a change of how it is built, and nothing where nothing has changed", () => {
  expect(testsFor(root, ["package-lock.json"])).toBeUndefined();
  expect(testsFor(root, ["scripts/bundle.mjs"])).toBeUndefined();
  expect(testsFor(root, [])).toEqual([]);
});

it("counts from where the branch left main, with what is not committed", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-changed-"));
  try {
    const git = (...words: readonly string[]): void =>
      void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
        cwd: folder,
        stdio: "ignore",
      });
    const commit = (name: string): void => {
      writeFileSync(join(folder, name), name);
      git("add", "-A");
      git("commit", "-m", name);
    };
    git("init", "-b", "main");
    commit("old.ts");
    git("checkout", "-b", "work");
    commit("committed.ts");
    writeFileSync(join(folder, "old.ts"), "changed");
    writeFileSync(join(folder, "new.ts"), "new");
    expect(changedSince(folder)).toEqual(["committed.ts", "old.ts", "new.ts"]);
    expect(changedSince(folder, "HEAD")).toEqual(["old.ts", "new.ts"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
