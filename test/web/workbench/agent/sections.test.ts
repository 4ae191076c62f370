import { describe, expect, test } from "vitest";
import { sectionsOf, sectionSearch } from "../../../../src/web/workbench/agent/sections.ts";

const TEXT = `Before all headings.

# Layouts

How things lie.

## Save a layout

Use the menu Layouts.

\`\`\`
# not a heading
\`\`\`

#### too deep to be one
`;

describe("sections of a document", () => {
  test("begin at headings, not in code", () => {
    expect(sectionsOf("a.md", TEXT)).toEqual([
      { source: "a.md", text: "Before all headings." },
      { source: "a.md › Layouts", text: "# Layouts\n\nHow things lie." },
      {
        source: "a.md › Save a layout",
        text: "## Save a layout\n\nUse the menu Layouts.\n\n```\n# not a heading\n```\n\n#### too deep to be one",
      },
    ]);
    expect(sectionsOf("a.md", "  \n")).toEqual([]);
  });

  test("are cut when they are long", () => {
    const [section] = sectionsOf("a.md", `# A\n${"x".repeat(10_000)}`);
    expect(section?.text).toHaveLength(4_000);
  });
});

describe("the search", () => {
  const search = sectionSearch([
    { source: "grid", text: "Sort a column by a click on its head." },
    { source: "layouts", text: "Save a layout and load it again." },
    { source: "formulas", text: "A formula makes a column from others." },
  ]);

  test.each([
    ["save layout", ["layouts"]],
    ["sorting", []],
    ["sort", ["grid"]],
    ["formulsa", ["formulas"]],
    ["colu", ["grid", "formulas"]],
    ["", []],
    ["nothing of the kind xyz", []],
  ])("for %j gives %j", (query, sources) => {
    expect(
      search(query, 5)
        .map(({ source }) => source)
        .toSorted(),
    ).toEqual(sources.toSorted());
  });

  test("gives the best first, scores below one, and no more than asked for", () => {
    const hits = search("column formula", 2);
    expect(hits[0]?.source).toBe("formulas");
    expect(hits.length).toBeLessThanOrEqual(2);
    for (const { score } of hits) expect(score).toBeGreaterThan(0);
    for (const { score } of hits) expect(score).toBeLessThan(1);
    expect(search("column", 1)).toHaveLength(1);
  });
});
