import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { markup } from "../../../../src/web/workbench/viewers/markup/definition.ts";
import { markupOf, MOST_CHARS } from "../../../../src/web/workbench/viewers/markup/model.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = () => {
  const made = newTable("people", [columnOf("Full name", ["*Ann*", "Bo"]), columnOf("Age", [30, 41])]);
  made.setFilter("x", { kind: "rows", rows: Bits.of(2, [0]) });
  made.select(Bits.all(2));
  made.setCurrentRow(0);
  return made;
};
const model = (set: Look) => markupOf(table(), wholeLook(markup, table(), set));
const kinds = (set: Look): unknown => model(set).tree?.map((node) => (typeof node === "string" ? node : node.tag));

describe("values in the text", () => {
  test.each([
    [
      "#{t.name}: #{t.rowCount}, #{t.columnCount}, #{t.filter.trueCount}, #{t.selection.trueCount}, #{t.currentRow}",
      "people: 2, 2, 1, 2, 1",
    ],
    ["${Full name} is ${age}", "*Ann* is 30"],
    ["#{t.secret} ${nobody} ${", "#{t.secret} ${nobody} ${"],
    ["\uE0000\uE001", "0"],
  ])("%s", (content, text) => {
    expect(model({ content }).text).toBe(text);
  });

  test("are not read as markdown", () => {
    expect(model({ content: "# Of ${Full name}\n\n[x](https://a.example/${Age})" }).tree).toEqual([
      { tag: "h1", children: ["Of *Ann*"] },
      { tag: "p", children: [{ tag: "a", href: "https://a.example/30", children: ["x"] }] },
    ]);
  });

  test("stay away where they are switched off", () => {
    expect(model({ content: "#{t.name}", markupEnabled: false }).text).toBe("#{t.name}");
  });
});

describe("how the text is read", () => {
  test.each<[Look, unknown]>([
    [{ content: "plain\nlines" }, undefined],
    [{ content: "plain", mode: "Markup" }, ["p"]],
    [{ content: "# head\n\n- item" }, ["h1", "ul"]],
    [{ content: "some **bold**" }, ["p"]],
    [{ content: "# head", mode: "None" }, undefined],
  ])("%j", (set, expected) => {
    expect(kinds(set)).toEqual(expected);
  });

  test("the width, and a text that is too long", () => {
    expect([model({}).stretch, model({ stretch: true }).stretch]).toEqual([false, true]);
    const long = model({ content: "x".repeat(MOST_CHARS + 1) });
    expect([long.text.length, long.cut]).toEqual([MOST_CHARS, "The text is cut after 200,000 characters."]);
  });
});
