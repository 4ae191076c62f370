import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const scriptsOf = (path: string): object => (JSON.parse(read(path)) as { readonly scripts: object }).scripts;

it("release.md names only commands that there are", () => {
  const paper = read("docs/operations/release.md");
  const known = { ...scriptsOf("package.json"), ...scriptsOf("integrations/datagrok/package.json") };
  const named = [...paper.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name);
  expect(named).toEqual(["check", "build", "check", "build", "pack-runtime"]);
  expect(named.filter((name) => !(name in known))).toEqual([]);
});
