import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Manifest {
  readonly version: string;
  readonly private?: boolean;
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly scripts: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(read("package.json")) as Manifest;

describe("a release", () => {
  it("holds what was built, all that it promises, and nothing else", () => {
    // Beside the files of the list, npm packs the manifest, the README and the licence.
    expect(manifest.files.filter((path) => !path.startsWith("!"))).toEqual(["dist"]);
    expect(readdirSync(root)).toEqual(expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md"]));
    expect([manifest.private, /^\d+\.\d+\.\d+$/.test(manifest.version)]).toEqual([undefined, true]);
    const promised = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry))),
      "dist/web/console/index.html",
    ].map((path) => path.replace(/^\.\//, ""));
    const shipped = (path: string): boolean => path.startsWith("dist/") && existsSync(join(root, path));
    expect(promised.filter((path) => !path.includes("*") && !shipped(path))).toEqual([]);
  });

  it("release.md names only commands that there are", () => {
    const paper = read("docs/operations/release.md");
    const datagrok = JSON.parse(read("integrations/datagrok/package.json")) as Manifest;
    const named = [...paper.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in manifest.scripts) && !(name in datagrok.scripts))).toEqual([]);
  });
});
