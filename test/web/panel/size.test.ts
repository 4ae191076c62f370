import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const BUILT = resolve(import.meta.dirname, "../../../dist/panel");
const MOST_BYTES = 46_000;
const MOST_CATALOGUE_BYTES = 6_000;

const packed = (names: readonly string[]): readonly number[] =>
  names.map((name) => gzipSync(readFileSync(join(BUILT, name))).length);

test("all of the panel, without React and the client, stays small; a catalogue is apart, and loaded by its language", () => {
  const files = readdirSync(BUILT).filter((name) => name.endsWith(".js"));
  expect(files).toContain("index.js");
  const catalogues = files.filter((name) => name.startsWith("language-"));
  expect(catalogues).toHaveLength(2);
  const rest = files.filter((name) => !catalogues.includes(name));
  expect(packed(rest).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MOST_BYTES);
  expect(Math.max(...packed(catalogues))).toBeLessThan(MOST_CATALOGUE_BYTES);
});
