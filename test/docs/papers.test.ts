import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ErrorCode, LIMITS } from "../../src/protocol/index.ts";
import { CHECKPOINTS } from "../../src/sessions/index.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

function papers(): readonly string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name));
  const top = readdirSync(root);
  return [...top, ...docs].filter((name) => name.endsWith(".md"));
}

describe("the papers say what the code says", () => {
  it("limits.md names every limit with its value", () => {
    const rows = [...read("docs/operations/limits.md").matchAll(/^\| `(\w+)` \| ([\d,._]+)/gm)];
    const written = Object.fromEntries(rows.map(([, name, value]) => [name, Number(value?.replaceAll(",", ""))]));
    expect(written).toEqual({ ...LIMITS });
  });

  it("http-api.md names every error code, journal.md every crash point", () => {
    const api = read("docs/user/http-api.md");
    expect(ErrorCode.options.filter((code) => !api.includes(`\`${code}\``))).toEqual([]);
    const journal = read("docs/internals/journal.md");
    expect(CHECKPOINTS.filter((point) => !journal.includes(`\`${point}\``))).toEqual([]);
  });

  it("has no link to a file that is not there", () => {
    const broken = papers().flatMap((paper) =>
      [...read(paper).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target ?? "")
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(paper), target)))
        .map((target) => `${paper}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
