import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { CodeIndex } from "../../src/tools/search/code-index.ts";
import { termsOf } from "../../src/tools/search/terms.ts";
import { searchCodeTool, WorkspaceIndexes } from "../../src/tools/index.ts";
import { bench } from "./fixture.ts";

const FILES = {
  "src/net/retry.ts": "export function retryWithBackoff(request) {\n  // waits longer after each failed attempt\n}\n",
  "src/ledger/budget.ts": "export class BudgetLimits {\n  reserve(amount) {}\n}\n",
  "README.md": "# A project about castles\n",
};

describe("SearchCode", () => {
  test.each([
    ["parseHTTPRequest2", ["parsehttprequest2", "pars", "http", "request"]],
    ["snake_case_name", ["snake_case_name", "snak", "case", "name"]],
    ["parsing parsed parses parser", ["pars", "pars", "pars", "pars"]],
    ["the of if", []],
  ])("%s is found by %j", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test("finds parts by words, in any form and order", async () => {
    const place = await bench({ extra: [searchCodeTool(new WorkspaceIndexes())] });
    for (const [path, text] of Object.entries(FILES)) await place.put(path, text);
    expect(await place.text("SearchCode", { query: "failing attempts: wait and retry" })).toMatch(
      /^src\/net\/retry\.ts:1-3\n/,
    );
    expect(await place.text("SearchCode", { query: "limit of a budget", max_results: 1 })).toBe(
      "src/ledger/budget.ts:1-3\nexport class BudgetLimits {\n  reserve(amount) {}\n}",
    );
    expect(await place.text("SearchCode", { query: "zebra" })).toBe("Nothing fits the query.");
  });

  test("sees changes, and nothing that is ignored, secret, binary, too large or outside", async () => {
    const place = await bench({ extra: [searchCodeTool(new WorkspaceIndexes())] });
    await place.put(".gitignore", "ignored.txt\n");
    await place.put("ignored.txt", "zebra one\n");
    await place.put("id_rsa", "zebra two\n");
    await place.put("binary.txt", Buffer.from("zebra\0three"));
    await place.put("large.txt", `zebra ${"x".repeat(LIMITS.searchCodeFileBytes)}`);
    await writeFile(join(place.outside, "outside.txt"), "zebra four\n");
    await symlink(join(place.outside, "outside.txt"), place.path("link.txt"));
    expect(await place.text("SearchCode", { query: "zebra" })).toMatch(/^Nothing fits the query\./);
    await place.put("seen.txt", "zebra five\n");
    expect(await place.text("SearchCode", { query: "zebra" })).toMatch(/^seen\.txt:1-1\nzebra five/);
    await place.put("seen.txt", "horse and more\n");
    expect(await place.text("SearchCode", { query: "zebra" })).toMatch(/^Nothing fits the query\./);
    expect(await place.text("SearchCode", { query: "horses" })).toMatch(/^seen\.txt:1-1\nhorse/);
  });

  test("finds common words for the same thing, and a file once its words have left it no more", async () => {
    const index = new CodeIndex();
    index.put("a.ts", "1", "export function removeFolder() {}\n");
    index.put("b.ts", "1", "export function paintWindow() {}\n");
    expect(await index.search("delete a directory", 5)).toEqual([{ path: "a.ts", from: 1, to: 1, coverage: 1 }]);
    index.put("a.ts", "2", "export function openDoor() {}\n");
    expect(await index.search("delete a directory", 5)).toEqual([]);
    expect(await index.search("door handle", 5)).toMatchObject([{ path: "a.ts", from: 1, to: 1 }]);
  });

  test("lets other work of the server have its turn while it compares", async () => {
    const index = new CodeIndex();
    for (let file = 0; file <= LIMITS.searchCodePartsPerTurn; file += 1)
      index.put(`${file}.ts`, "1", "open the door\n");
    const order: string[] = [];
    setImmediate(() => order.push("other work"));
    await index.search("door", 5);
    order.push("answer");
    expect(order).toEqual(["other work", "answer"]);
  });

  test("is bounded in bytes", () => {
    const index = new CodeIndex();
    // Hardly any words: the bytes are what counts.
    const text = "-".repeat(LIMITS.searchCodeFileBytes);
    let count = 0;
    while (index.put(`${count}.txt`, "", text)) count += 1;
    expect(index.bytes).toBeLessThanOrEqual(LIMITS.searchCodeBytes);
    index.delete("0.txt");
    expect(index.put("again.txt", "", text)).toBe(true);
  });
});
