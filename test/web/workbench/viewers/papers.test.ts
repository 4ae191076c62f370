import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { VIEWERS } from "../../../../src/web/workbench/viewers/registry.ts";
import { NOT_AVAILABLE, type PropertyDefinition } from "../../../../src/web/workbench/viewers/viewer.ts";

function valueWords({ choices, min, max, columns, type }: PropertyDefinition): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(", ");
  const range = min === undefined ? "" : `${min} to ${max ?? "any"}`;
  const kind = columns === undefined ? "" : columns;
  return [type, kind, range].filter((word) => word !== "").join(", ");
}

function line(property: PropertyDefinition): string {
  const standard = property.default === undefined ? "" : `\`${JSON.stringify(property.default).replaceAll('"', "")}\``;
  return `| \`${property.name}\` | ${valueWords(property)} | ${standard} | ${property.description.replaceAll("|", "\\|")} |`;
}

/** The part of the paper that says what each viewer has. */
function sections(): string {
  return VIEWERS.map(({ type, about, properties }) =>
    [
      `## ${type}`,
      "",
      about,
      "",
      "| Property | Value | Default | What it does |",
      "| --- | --- | --- | --- |",
      ...properties.map((property) =>
        line({ ...property, choices: property.choices?.map((choice) => choice.replaceAll("|", "\\|")) }),
      ),
    ].join("\n"),
  ).join("\n\n");
}

it("the paper lists every viewer with every property", () => {
  const paper = readFileSync(new URL("../../../../docs/user/workbench-viewers.md", import.meta.url), "utf8");
  expect(paper.slice(paper.indexOf("\n## ") + 1).trimEnd()).toBe(sections());
});

it("the paper names what is not there", () => {
  const paper = readFileSync(new URL("../../../../docs/user/workbench-viewers.md", import.meta.url), "utf8");
  for (const [type, reason] of Object.entries(NOT_AVAILABLE)) expect(paper).toContain(`- ${type}: ${reason}.`);
});
