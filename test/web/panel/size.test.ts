import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const BUILT = resolve(import.meta.dirname, "../../../dist/panel");
const MOST_BYTES = 44_000;

test("all of the panel, without React and the client, stays small", () => {
  const files = readdirSync(BUILT).filter((name) => name.endsWith(".js"));
  expect(files).toContain("index.js");
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(BUILT, name))).length, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
});
