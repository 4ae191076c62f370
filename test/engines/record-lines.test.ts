import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linesOf, rewriteLines } from "../../src/engines/vendor/record-lines.ts";
import { LIMITS } from "../../src/protocol/index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-lines-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* doubled(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}${line}`;
}

test("a record is written anew, or stays as it is", async () => {
  const path = join(folder, "record");
  await writeFile(path, "a\nb\nc");
  const rewrite = (isGood: boolean): Promise<boolean> =>
    rewriteLines({ from: path, to: path, edit: doubled, isGood: () => isGood });
  expect([await rewrite(false), await readFile(path, "utf8")]).toEqual([false, "a\nb\nc"]);
  expect([await rewrite(true), await readFile(path, "utf8")]).toEqual([true, "aa\nbb\ncc\n"]);
  expect(await readdir(folder)).toEqual(["record"]);
});

test("what the disk does not take is an error of whoever asked, and leaves nothing", async () => {
  const from = join(folder, "record");
  // A name may have 255 bytes: the new file has more.
  const to = join(folder, "n".repeat(250));
  await expect(rewriteLines({ from, to, edit: doubled, isGood: () => true })).rejects.toMatchObject({
    code: "ENAMETOOLONG",
  });
  expect(await readdir(folder)).toEqual(["record"]);
});

test("a line that is too long counts as empty", async () => {
  const path = join(folder, "long");
  await writeFile(path, `a\n${"x".repeat(LIMITS.engineLineBytes + 1)}\nb\n${"y".repeat(LIMITS.engineLineBytes)}`);
  const found: number[] = [];
  for await (const line of linesOf(path)) found.push(line.length);
  expect(found).toEqual([1, 0, 1, LIMITS.engineLineBytes]);
});
