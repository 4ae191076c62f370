import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { checkLook, VIEWERS, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { ViewerDefinition } from "../../../../src/web/workbench/viewers/viewer.ts";
import { HARD_NUMBERS, hardLooks, hardTable } from "./hard-data.ts";

const GEOMETRY =
  /\s(?:x|y|x1|x2|y1|y2|cx|cy|r|rx|width|height|d|points|transform|viewBox|style|fill|stroke)="[^"]*(?:NaN|Infinity|undefined)[^"]*"/;
/** A range or a number that no data has. */
const INVENTED = /between (?:∞|-∞)|NaN/;

async function markup(definition: ViewerDefinition, kind: string): Promise<readonly string[]> {
  const Component = await definition.load();
  const table = hardTable(kind);
  if (table.rowCount > 0) table.setCurrentRow(0);
  return hardLooks(definition).flatMap((set) => {
    if (definition.unfit?.(table, {}) !== undefined) return [];
    const look = wholeLook(definition, table, checkLook(definition, set, table));
    return [
      renderToStaticMarkup(
        createElement(Component, { id: "v", table, look, width: 520, height: 380, change: () => undefined }),
      ),
    ];
  });
}

/** A word cloud measures its words on a canvas: it is drawn in the browser's test. */
const DRAWN = VIEWERS.filter(({ type }) => type !== "Word cloud");

describe.each(DRAWN.map((definition) => [definition.type, definition] as const))("%s", (_type, definition) => {
  it("draws no number that is none, whatever the data", async () => {
    const wrong: string[] = [];
    for (const kind of Object.keys(HARD_NUMBERS))
      for (const [place, html] of (await markup(definition, kind)).entries()) {
        const geometry = GEOMETRY.exec(html);
        if (geometry !== null) wrong.push(`${kind} ${place}: ${geometry[0].slice(0, 200)}`);
        const words = INVENTED.exec(html.replace(/<[^>]*>/g, " "));
        if (words !== null) wrong.push(`${kind} ${place}: "${words[0]}"`);
      }
    expect(wrong).toEqual([]);
  });
});
