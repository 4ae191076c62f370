import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly scripts: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(read("package.json")) as Manifest;

describe("a release", () => {
  it("packs what a product installs, and nothing else", { timeout: 60_000 }, async () => {
    const words = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const { stdout } = await run("npm", words, { cwd: root, maxBuffer: 64 * 1_048_576 });
    const [packed] = JSON.parse(stdout) as { name: string; version: string; files: { path: string }[] }[];
    expect([packed?.name, packed?.version]).toEqual([manifest.name, manifest.version]);
    const paths = (packed?.files ?? []).map(({ path }) => path);
    const wanted = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) =>
        typeof entry === "string" ? [entry] : Object.values(entry),
      ),
    ].map((path) => path.replace(/^\.\//, ""));
    expect(wanted.filter((path) => !path.includes("*") && !paths.includes(path))).toEqual([]);
    const papers = ["package.json", "README.md", "LICENSE", "dist/web/console/index.html"];
    expect(papers.filter((path) => !paths.includes(path))).toEqual([]);
    // No source, no tests, no home of somebody who tried it here.
    expect(paths.filter((path) => /^(src|test|bench|scripts|node_modules|\.)/.test(path))).toEqual([]);
  });

  it("release.md names only commands that there are", () => {
    const paper = read("docs/operations/release.md");
    const datagrok = JSON.parse(read("integrations/datagrok/package.json")) as Manifest;
    const named = [...paper.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in manifest.scripts) && !(name in datagrok.scripts))).toEqual([]);
  });
});
