import { describe, expect, test } from "vitest";
import { ScriptGenerationContext } from "../../src/contexts/index.ts";
import { scriptHost } from "./page.ts";

const HITS = [
  { source: "viewers.md", score: 0.912, text: "About viewers" },
  { source: "grid.md", score: 0.5, text: "About the grid" },
];

describe("searching documentation", () => {
  const asked: (readonly [string, number])[] = [];
  const search = (query: string, maxResults: number) => {
    asked.push([query, maxResults]);
    if (query === "fails") throw new Error("the index is gone");
    return query === "nothing" ? [] : HITS;
  };
  const context = new ScriptGenerationContext(scriptHost({ searchDocumentation: search, searchApi: search }));
  const FOUND =
    "Found 2 relevant documentation sections:\n\n**Source**: viewers.md (score: 0.91)\nAbout viewers\n\n---\n\n" +
    "**Source**: grid.md (score: 0.50)\nAbout the grid\n\n---\n\n";
  const ONE =
    "Found 1 relevant documentation sections:\n\n**Source**: viewers.md (score: 0.91)\nAbout viewers\n\n---\n\n";

  test.for([
    ["viewers", 5, FOUND],
    ["viewers", null, FOUND],
    ["viewers", 1, ONE],
    ["viewers", -3, ONE],
    ["viewers", 1_000, FOUND],
    ["nothing", 5, "No relevant documentation found for this query."],
    ["fails", 5, "Error searching documentation: the index is gone"],
  ] as const)("%s, %s", async ([query, maxResults, words]) => {
    asked.length = 0;
    expect(await context.searchDocumentation(query, maxResults)).toBe(words);
    expect(await context.searchJsApiSources(query, maxResults)).toBe(words);
    const most = Math.min(50, Math.max(1, maxResults ?? 4));
    expect(asked).toEqual([
      [query, most],
      [query, most],
    ]);
  });

  test("nothing to search for, nothing to search in", async () => {
    expect(await context.searchDocumentation("  ", 5)).toBe("Error: empty documentation search query.");
    expect(await context.searchJsApiSources("", 5)).toBe("Error: empty JS API source search query.");
    const bare = new ScriptGenerationContext(scriptHost());
    expect(await bare.searchDocumentation("x", 5)).toBe(
      "Documentation search is not available. Vector store ID not configured.",
    );
    expect(await bare.searchJsApiSources("x", 5)).toBe(
      "JS API source search is not available. Vector store ID not configured.",
    );
  });
});

test("scripts of one language, or of all", async () => {
  const samples = () => [
    { name: "Fit", description: "Fits a curve", language: "python", code: "fit()" },
    { name: "Plot", language: "r", code: "plot()" },
  ];
  const context = new ScriptGenerationContext(scriptHost({ samples }));
  const fit = "**Name**: Fit\n**Description**: Fits a curve\n**Code**:\nfit()\n\n---\n\n";
  const plot = "**Name**: Plot\n**Description**: \n**Code**:\nplot()\n\n---\n\n";
  expect(await context.findSimilarScriptSamples("x")).toBe(`Found 2 similar script samples:\n\n${fit}${plot}`);
  expect(await context.findSimilarScriptSamples("x", "Python")).toBe(`Found 1 similar script samples:\n\n${fit}`);
  expect(await context.findSimilarScriptSamples("x", "julia")).toBe("No similar script samples found.");
});

describe("members of a namespace", () => {
  let ran = 0;
  class Shell {
    tables = [];
    get view() {
      ran += 1;
      return {};
    }
    addTable() {
      ran += 1;
    }
  }
  const proxy = new Proxy(
    { plain: { a: 1 } },
    {
      get() {
        ran += 1;
        return 1;
      },
    },
  );
  const grok = {
    chem: { search: () => (ran += 1), version: "1" },
    shell: new Shell(),
    empty: null,
    proxy,
    get computed() {
      ran += 1;
      return { secret: 1 };
    },
  };
  const context = new ScriptGenerationContext(scriptHost({ names: { grok, DG: Shell } }));
  const UNSAFE =
    'Error: unsafe expression. Only dotted identifiers like "grok.chem" are allowed. Use search_js_api_sources for anything else.';
  const NOTHING = "Error: expression evaluated to null/undefined.";
  const computed = (path: string) =>
    `Error evaluating expression: ${path} is computed by the page and is not read here.`;

  test.for([
    ["grok.chem", '["search","version"]'],
    [" grok.chem ", '["search","version"]'],
    ["grok", '["chem","shell","empty","proxy","computed"]'],
    ["grok.shell", '["tables"]'],
    ["grok.shell.addTable", "[]"],
    ["grok.chem.version", '["0"]'],
    ["grok.proxy.plain", '["a"]'],
    ["grok.proxy.other", NOTHING],
    ["grok.computed", computed("grok.computed")],
    ["grok.computed.secret", computed("grok.computed")],
    ["grok.shell.view", computed("grok.shell.view")],
    ["grok.empty", NOTHING],
    ["grok.empty.more", NOTHING],
    ["grok.nothing", NOTHING],
    ["window", NOTHING],
    ["globalThis.process", NOTHING],
    ["grok.constructor", NOTHING],
    ["grok.shell.constructor", NOTHING],
    ["grok.chem.search.constructor", NOTHING],
    ["grok.__proto__", NOTHING],
    ["grok.toString", NOTHING],
    ["grok.chem.search.call", NOTHING],
    ["toString", NOTHING],
    ["", "Error: expression is required."],
    ["  ", "Error: expression is required."],
    ["grok.chem()", UNSAFE],
    ["grok['chem']", UNSAFE],
    ["grok..chem", UNSAFE],
    ["grok.chem;alert(1)", UNSAFE],
    ["grok.\nchem", UNSAFE],
    [`grok${".a".repeat(40)}`, UNSAFE],
  ] as const)("%s", ([expression, words]) => {
    expect(context.listJsMembers(expression)).toBe(words);
    expect(ran).toBe(0);
  });
});
