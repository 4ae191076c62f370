import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { CodeIndex } from "../../src/tools/search/code-index.ts";
import { termsOf } from "../../src/tools/search/terms.ts";
import { searchCodeTool } from "../../src/tools/index.ts";
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
    const place = await bench({ extra: [searchCodeTool] });
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
    const place = await bench({ extra: [searchCodeTool] });
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
