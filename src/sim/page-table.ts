import type { PastToolCall } from "./conversation.ts";
import type { PagePlan } from "./page.ts";
import type { Fields } from "./wire.ts";

/** What people ask about an open table besides charts: counts, orders, changes. */

const CLEAR =
  /^(?:clear|remove|reset|take away|delete|drop)(?: all)?(?: the| my| your)? filters?$|^(?:show|bring back) all(?: the)? rows(?: again)?$/i;
const COUNT = /^how many (?:[\w-]+ )??(?:have|has|with|are there with|where)\s+(.+)$/i;
const NUMBER_OF = /^(?:exactly )?(-?\d+(?:\.\d+)?) ([\w .-]+)$/;
const IS = /^(?:an? |the )?([\w .-]+?)\s*(?:=|is|of|equal to|equals)\s*(.+)$/i;
const CHANGE =
  /^(?:change|set|adjust|update|make)(?: the)? (.+?)(?: viewer)? (?:to|have|use|with)(?: have| use)? (\d+) (bins?|rows?|columns?|tiles?)$/i;
const CLOSE = /^(?:remove|close|delete|hide|take away)(?: the| that)? (.+?)(?: viewer)?$/i;
const SORT =
  /^(?:sort|order)(?: the)?(?: table| rows| it| them| everything)?(?: by| on)? (.+?)(?:,? (?:in )?(ascending|descending|asc|desc|high(?:est)? (?:to low(?:est)?|first)|low(?:est)? (?:to high(?:est)?|first)|newest first|oldest first)(?: order)?)?$/i;
const CORRELATION =
  /^(?:what(?: is|'s) |show |compute |calculate |find |tell me )?(?:the )?correlation (?:between|of) (.+?) (?:and|with|vs\.?|versus) (.+)$/i;
const AVERAGE =
  /^(?:(?:add|show|make|create|draw|plot|give)(?: me| us)?(?: an?| the)* )?(bar ?(?:chart|plot|graph)|line ?(?:chart|plot|graph)|pie ?(?:chart)?) (?:of|for|showing|with)(?: the)? (average|avg|mean|median|sum|total|max(?:imum)?|min(?:imum)?) (?:of )?(.+?) (?:by|per|for each|over) (.+)$/i;

const KINDS: Readonly<Record<string, string>> = {
  average: "avg",
  avg: "avg",
  mean: "avg",
  median: "med",
  sum: "sum",
  total: "sum",
  max: "max",
  maximum: "max",
  min: "min",
  minimum: "min",
};

/** Finds a column by words: its name in any case, or the only one that contains them. Part of a script. */
const COLUMN_OF = `const column = (words) => {
  const plain = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, " ").trim();
  const wanted = plain(words).replace(/s$/, "");
  const names = table.columnNames;
  const found = names.find((name) => plain(name) === plain(words)) ?? names.find((name) => plain(name).includes(wanted));
  if (found === undefined) throw new Error("there is no column like " + words + "; there are " + names.join(", "));
  return found;
};`;

/** By the page's own names of its viewers; undefined: no plan for the request. */
export function readTablePlan(request: string, typeOf: (words: string) => string | undefined): PagePlan | undefined {
  if (CLEAR.test(request)) return one("apply_filter", { expression: "" }, "I will take the filter away.");
  return (
    readCount(request) ??
    readCorrelation(request) ??
    readMeasured(request, typeOf) ??
    readChange(request, typeOf) ??
    readSort(request) ??
    readClose(request, typeOf)
  );
}

function one(tool: string, input: Fields, announce: string): PagePlan {
  return { steps: [{ tool, announce, input: () => input }], words: ({ text }) => text };
}

function script(body: string, announce: string, words: (result: string) => string): PagePlan {
  return {
    steps: [{ tool: "run_script", announce, input: () => ({ script: `${COLUMN_OF}\n${body}` }) }],
    words: ({ text }) => words(/Returned: ([^\n]*)/.exec(text)?.[1] ?? text),
  };
}

function readCount(request: string): PagePlan | undefined {
  const condition = COUNT.exec(request)?.[1];
  if (condition === undefined) return undefined;
  const [, number, noun] = NUMBER_OF.exec(condition) ?? [];
  const [, name = noun, value = number] = IS.exec(condition) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const body = `const name = column(${JSON.stringify(name)});
const wanted = ${JSON.stringify(value)}.toLowerCase();
return table.get(name).filter((value) => value !== null && String(value).toLowerCase() === wanted).length;`;
  return script(body, "I will count the rows.", (count) => `${count} rows have ${value} in ${name}.`);
}

function readCorrelation(request: string): PagePlan | undefined {
  const found = CORRELATION.exec(request);
  if (found === null) return undefined;
  const [, first = "", second = ""] = found;
  const body = `const [a, b] = [column(${JSON.stringify(first)}), column(${JSON.stringify(second)})];
const [left, right] = [table.get(a), table.get(b)];
const rows = left.flatMap((value, row) => (value === null || right[row] === null ? [] : [[value, right[row]]]));
const mean = (at) => rows.reduce((sum, row) => sum + row[at], 0) / rows.length;
const [meanA, meanB] = [mean(0), mean(1)];
let [ab, aa, bb] = [0, 0, 0];
for (const [x, y] of rows) { ab += (x - meanA) * (y - meanB); aa += (x - meanA) ** 2; bb += (y - meanB) ** 2; }
return a + " and " + b + ": " + (ab / Math.sqrt(aa * bb)).toFixed(4) + " (" + rows.length + " rows)";`;
  return script(body, "I will compute it.", (result) => `Pearson's correlation of ${result.replaceAll('"', "")}.`);
}

function readMeasured(request: string, typeOf: (words: string) => string | undefined): PagePlan | undefined {
  const found = AVERAGE.exec(request);
  const type = typeOf(found?.[1] ?? "");
  if (found === null || type === undefined) return undefined;
  const [, , kind = "average", measure = "", group = ""] = found;
  const aggregate = KINDS[kind.toLowerCase()] ?? "avg";
  return one(
    "add_viewer",
    { viewerType: type, viewerProperties: propertiesOf(type, { aggregate, measure, group }) },
    `I will add a ${type} of ${aggregate}(${measure}) by ${group}.`,
  );
}

function propertiesOf(
  type: string,
  { aggregate, measure, group }: { readonly aggregate: string; readonly measure: string; readonly group: string },
): Fields {
  switch (type) {
    case "Line chart":
      return { xColumnName: group, yColumnNames: [measure], aggrType: aggregate };
    case "Pie chart":
      return { categoryColumnName: group, segmentAngleColumnName: measure, segmentAngleAggrType: aggregate };
    default:
      return { splitColumnName: group, valueColumnName: measure, valueAggrType: aggregate };
  }
}

const VIEWER_ID = /ID: (\S+)/g;

/** The newest viewer of a type is meant. */
function newestId(outcome: PastToolCall | undefined): string {
  return [...(outcome?.text ?? "").matchAll(VIEWER_ID)].at(-1)?.[1]?.replace(/,$/, "") ?? "none";
}

function ofViewer(type: string, tool: string, announce: string, more: Fields): PagePlan {
  return {
    steps: [
      { tool: "find_viewers_by_type", announce: `I will look for the ${type}.`, input: () => ({ viewerType: type }) },
      { tool, announce, input: (before) => ({ viewerId: newestId(before.at(-1)), ...more }) },
    ],
    words: ({ text }) => text,
  };
}

function readChange(request: string, typeOf: (words: string) => string | undefined): PagePlan | undefined {
  const found = CHANGE.exec(request);
  const type = typeOf(found?.[1] ?? "");
  if (found === null || type === undefined) return undefined;
  const property = /^bin/i.test(found[3] ?? "") ? "bins" : "tilesPerRow";
  return ofViewer(type, "adjust_viewer", `I will set ${property} to ${found[2] ?? ""}.`, {
    viewerProperties: { [property]: Number(found[2]) },
  });
}

function readClose(request: string, typeOf: (words: string) => string | undefined): PagePlan | undefined {
  const type = typeOf(CLOSE.exec(request)?.[1] ?? "");
  return type === undefined ? undefined : ofViewer(type, "close_viewer", `I will close the ${type}.`, {});
}

function readSort(request: string): PagePlan | undefined {
  const found = SORT.exec(request);
  if (found === null) return undefined;
  const [, columns = "", order = ""] = found;
  const names = columns
    .split(/\s*,\s*(?:then (?:by )?)?|\s+(?:and then|then|and)(?: by)?\s+/i)
    .filter((name) => name !== "");
  return one(
    "sort_rows",
    { columns: names, descending: /^(?:desc|high|newest)/i.test(order) },
    `I will sort by ${names.join(", ")}.`,
  );
}
