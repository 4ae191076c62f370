import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { isFullRun } from "../support/sample.ts";

// Benchmarks for a moment: each ends well and says its figures. How fast it was says nothing here. `npm run soak` runs all of them.

const BENCH = join(import.meta.dirname, "../../bench");
/** A busy machine is slow, not wrong. */
const PATIENCE_MS = 180_000;
/** Those that take no vendor's program. */
const EVERYDAY = ["turn", "tunnel", "page-tools"];

/** The names that `npm run bench -- <name>` takes. */
function names(): readonly string[] {
  const table = /const benches = \{([^}]*)\}/.exec(readFileSync(join(BENCH, "run.mjs"), "utf8"))?.[1] ?? "";
  return [...table.matchAll(/^\s*"?([a-z-]+)"?:/gm)].map(([, name]) => name ?? "");
}

/** Every figure of a result, with its path. */
function figures(value: unknown, path = ""): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null) return typeof value === "string" ? [] : [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => figures(inner, `${path}/${name}`));
}

test("every file with a benchmark can be asked for by its name", () => {
  const files = readdirSync(BENCH).filter(
    (name) =>
      name.endsWith(".mjs") && /^export async function \w+Bench\b/m.test(readFileSync(join(BENCH, name), "utf8")),
  );
  expect(files.map((name) => name.replace(/\.mjs$/, "")).toSorted()).toEqual(names().toSorted());
});

describe("a benchmark runs with --quick", () => {
  test.for(isFullRun ? names() : EVERYDAY)("%s", { timeout: PATIENCE_MS }, async (name) => {
    const words = [join(BENCH, `${name}.mjs`), "--quick", "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: PATIENCE_MS });
    const result = JSON.parse(stdout) as { readonly skipped?: string };
    // Without /dev/fuse there is no mount to measure.
    if (typeof result.skipped === "string") return;
    // On a busy machine a moment may be too short for one request: that ratio is null then.
    expect(figures(result).filter(([, figure]) => typeof figure === "number").length).toBeGreaterThan(2);
  });
});
