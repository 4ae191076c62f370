import type { Table } from "../data/table.ts";
import { Chance } from "./chance.ts";
import { sampleTable } from "./sample-table.ts";

const GROUPS = {
  Sea: "harbor tide sail anchor reef gull current lantern rope deck storm island pilot chart salt wave",
  Garden: "seed root blossom hedge orchard spade moss rain ladder basket bee plum thyme gate shade soil",
  Workshop: "bench chisel grain joint plane clamp vise dowel varnish hinge template square saw sanding fit edge",
  Library: "shelf index chapter margin reader atlas archive binding folio preface essay copy script page title note",
} as const;

/** Words with how often they came: the first of a group often, the last seldom. */
export function words(): Table {
  const chance = new Chance(26);
  const rows = Object.entries(GROUPS).flatMap(([group, list]) =>
    list
      .split(" ")
      .map((word, place) => ({ word, group, count: Math.round((220 + chance.whole(80)) / (place + 1) ** 0.7) })),
  );
  return sampleTable("words", rows, [
    ["Word", ({ word }) => word],
    ["Group", ({ group }) => group],
    ["Count", ({ count }) => count, "int"],
  ]);
}
