import type { PastToolCall } from "./conversation.ts";
import { unquote } from "./intents.ts";
import { SIM_LIMITS } from "./limits.ts";
import { readTablePlan } from "./page-table.ts";
import type { Fields } from "./wire.ts";

/** One call of a page's tool, by the page's own name. `input` gets the results of earlier calls. */
interface PageStep {
  readonly tool: string;
  readonly announce: string;
  readonly input: (before: readonly PastToolCall[]) => Fields;
}

/** A person's request to a page with document 000's tools: the calls, and the text for the last result. */
export interface PagePlan {
  readonly steps: readonly PageStep[];
  readonly words: (last: PastToolCall) => string;
}

type PlanReader = (request: string) => PagePlan | undefined;

/** The end of what a page puts before the first prompt. */
const REQUEST = "User request: ";
const NAME = "`[^`]+`|\"[^\"]+\"|'[^']+'|“[^”]+”|[\\w$.-]+";
const DO = "(?:add|show|make|create|draw|plot|open|give|put|build)(?: me| us)?";

/** Each viewer type by common words; the longer ones first. */
const VIEWERS: readonly (readonly [RegExp, string])[] = [
  [/3d scatter(?: ?plot)?/, "3d scatter plot"],
  [/scatter ?(?:plot|chart)?/, "Scatter plot"],
  [/histogram|distribution/, "Histogram"],
  [/bar ?(?:chart|plot|graph)/, "Bar chart"],
  [/line ?(?:chart|plot|graph)/, "Line chart"],
  [/box ?(?:plot|chart)/, "Box plot"],
  [/pie ?(?:chart)?/, "Pie chart"],
  [/heat ?map/, "Heat map"],
  [/density ?plot/, "Density plot"],
  [/correlation(?: ?plot| ?matrix)?/, "Correlation plot"],
  [/matrix ?plot/, "Matrix plot"],
  [/trellis(?: ?plot)?/, "Trellis plot"],
  [/pc ?plot|parallel coordinates(?: ?plot)?/, "PC Plot"],
  [/tree ?map/, "Tree map"],
  [/statistics/, "Statistics"],
  [/pivot(?: ?table)?/, "Pivot table"],
  [/form/, "Form"],
  [/filters?/, "Filters"],
  [/markup/, "Markup"],
  [/word ?cloud/, "Word cloud"],
  [/calendar/, "Calendar"],
  [/network(?: ?diagram)?/, "Network diagram"],
  [/tiles?(?: ?viewer)?/, "Tile Viewer"],
];

const ADD = new RegExp(
  `^${DO}(?: (?:a|an|the|another|new))* (.+?)(?: viewer)?(?: (?:for|of|with|by|on|from|showing|that shows) (.+))?$`,
  "i",
);
const BETWEEN = /\s*,\s*(?:and )?|\s+(?:and|by|vs\.?|versus|against|over|per|colou?red by)\s+/i;
const TABLES = new RegExp(
  `(?:tables|which tables|list tables)\\b.*?\\b(?:in|of|from)(?: the)?(?: schema)? (${NAME})(?: schema)?`,
  "i",
);
const SCHEMAS = /\bschemas\b/i;
const DESCRIBE = new RegExp(`^describe (?:the )?tables? (.+)$`, "i");
const SQL = /^(?:try|run|execute)(?: the| this)? (?:sql|query)\s*:?\s*([^]+)$/i;
const FILTER = /^(?:filter|show only)(?: the)?(?: rows| table)?(?: (?:to|by|where|with))?\s*:?\s*([^]+)$/i;
const COLUMN = new RegExp(
  `^(?:add|create|make)(?: a| the| new)* column (?:called |named )?(${NAME})\\s*(?:=|as|from|with)\\s*(?:the )?(?:formula )?([^]+)$`,
  "i",
);
const EXPORT = /\b(?:export|download)\b.*\bcsv\b/i;
const HIGHLIGHT = /^(?:highlight|point (?:me )?(?:to|at)|where is|show me)(?: the)? (.+? (?:button|menu))$/i;
const OPEN_VIEWERS =
  /\b(?:which|what|list)\b.*\b(?:viewers|charts)\b.*\b(?:open|current|there|now)\b|\bcurrent viewers\b/i;
const TYPES = /\b(?:which|what|list)\b.*\b(?:viewers|charts|viewer types)\b/i;
const DOCUMENTATION = /^(?:how (?:do|can) i|search the (?:docs|documentation) for|help me with) (.+)$/i;
const UNDO = /^(?:undo|take (?:it|that|everything) back)\b/i;

/** A plan for a person's request; undefined if it is not for a page. */
export function readPagePlan(prompt: string): PagePlan | undefined {
  const at = prompt.lastIndexOf(REQUEST);
  const request = (at < 0 ? prompt : prompt.slice(at + REQUEST.length))
    .trim()
    .replace(/^(?:please|hey|hi|ok|now|claude|can you|could you)[,!]?\s+/i, "")
    .replace(/[.!?\s]+$/, "");
  if (request === "" || request.length > SIM_LIMITS.demoSentenceChars) return undefined;
  const ofTable = readTablePlan(request, typeOf);
  if (ofTable !== undefined) return ofTable;
  for (const reader of READERS) {
    const plan = reader(request);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

const READERS: readonly PlanReader[] = [
  readSql,
  readColumn,
  readTables,
  readDescribe,
  readSchemas,
  readHighlight,
  readViewer,
  readFilter,
  readSimple,
];

function readViewer(request: string): PagePlan | undefined {
  const found = ADD.exec(request);
  const type = typeOf(found?.[1] ?? "");
  if (found === null || type === undefined) return undefined;
  const columns = columnsOf(found[2] ?? "");
  const of = columns.length === 0 ? "" : ` for ${columns.join(" and ")}`;
  return {
    steps: [
      {
        tool: "describe_viewer",
        announce: `I will look at what a ${type} can show.`,
        input: () => ({ viewerType: type }),
      },
      {
        tool: "add_viewer",
        announce: `I will add a ${type}${of}.`,
        input: (before) => ({ viewerType: type, viewerProperties: propertiesFor(before.at(-1)?.text ?? "", columns) }),
      },
    ],
    words: ({ text }) => `The ${type}${of} is there now. The page said: ${text}`,
  };
}

function typeOf(words: string): string | undefined {
  const plain = words.toLowerCase().replace(/ ?(?:viewer|chart viewer)$/, "");
  return VIEWERS.find(([pattern]) => new RegExp(`^(?:${pattern.source})$`).test(plain))?.[1];
}

function columnsOf(words: string): readonly string[] {
  return words
    .split(BETWEEN)
    .map((part) =>
      unquote(
        part
          .trim()
          .replace(/^(?:the |columns? )+/i, "")
          .replace(/ columns?$/i, ""),
      ),
    )
    .filter((part) => part !== "");
}

/** Assigns the columns to the viewer's column properties, in the page's order. */
function propertiesFor(description: string, columns: readonly string[]): Fields {
  const [first, second] = columns;
  if (first === undefined) return {};
  const properties = [...description.matchAll(/^(\w+) - (\w+) - /gm)].map(([, name = "", type = ""]) => ({
    name,
    type,
  }));
  const list = properties.find(({ type, name }) => type === "column_list" || name.endsWith("ColumnNames"));
  const singles = properties
    .filter(({ type, name }) => type === "column" || name.endsWith("ColumnName"))
    .map(({ name }) => name);
  const [one, two] = singles;
  if (one === undefined) return list === undefined ? {} : { [list.name]: columns };
  return second === undefined || two === undefined ? { [one]: first } : { [one]: first, [two]: second };
}

function readTables(request: string): PagePlan | undefined {
  const schema = TABLES.exec(request)?.[1];
  if (schema === undefined) return undefined;
  const name = unquote(schema);
  return {
    steps: [
      { tool: "list_catalogs", announce: "I will look at which catalogs there are.", input: () => ({}) },
      {
        tool: "list_tables_in_schema",
        announce: `I will list the tables of ${name}.`,
        input: (before) => ({ schemaName: name, catalogName: firstName(before.at(-1)?.text) }),
      },
    ],
    words: ({ text }) => text,
  };
}

function readSchemas(request: string): PagePlan | undefined {
  if (!SCHEMAS.test(request)) return undefined;
  return {
    steps: [
      { tool: "list_catalogs", announce: "I will look at which catalogs there are.", input: () => ({}) },
      {
        tool: "list_all_schemas",
        announce: "I will list the schemas.",
        input: (before) => ({ catalogName: firstName(before.at(-1)?.text) }),
      },
    ],
    words: ({ text }) => `The schemas are: ${text}`,
  };
}

function firstName(names: string | undefined): string {
  return names?.split(",")[0]?.trim() ?? "";
}

function readDescribe(request: string): PagePlan | undefined {
  const tables = DESCRIBE.exec(request)?.[1];
  if (tables === undefined) return undefined;
  return single("describe_tables", { tables: columnsOf(tables) }, "I will describe it.", ({ text }) => text);
}

function readSql(request: string): PagePlan | undefined {
  const sql = SQL.exec(request)?.[1];
  if (sql === undefined) return undefined;
  const input = { sql: unquote(sql), description: "What the person asked for" };
  return single("try_sql", input, "I will try the query.", ({ text }) => text);
}

function readColumn(request: string): PagePlan | undefined {
  const found = COLUMN.exec(request);
  if (found === null) return undefined;
  const input = { name: unquote(found[1] ?? ""), formula: unquote(found[2] ?? "") };
  return single("create_column", input, `I will add the column ${input.name}.`, ({ text }) => text);
}

function readFilter(request: string): PagePlan | undefined {
  const expression = FILTER.exec(request)?.[1];
  if (expression === undefined) return undefined;
  return single("apply_filter", { expression: unquote(expression) }, "I will filter the rows.", ({ text }) => text);
}

function readHighlight(request: string): PagePlan | undefined {
  const element = HIGHLIGHT.exec(request)?.[1];
  if (element === undefined) return undefined;
  const input = { elementId: unquote(element), description: "This is what you asked for" };
  return single("highlight_element", input, `I will point to the ${element}.`, ({ text }) => text);
}

function readSimple(request: string): PagePlan | undefined {
  if (EXPORT.test(request)) return single("export_csv", {}, "I will export the table.", ({ text }) => text);
  if (UNDO.test(request)) return single("undo", {}, "I will take back what I did.", ({ text }) => text);
  if (OPEN_VIEWERS.test(request))
    return single("list_current_viewers", {}, "I will look at what is open.", ({ text }) => text);
  if (TYPES.test(request)) return single("get_available_viewers", {}, "I will look.", ({ text }) => text);
  const question = DOCUMENTATION.exec(request)?.[1];
  if (question === undefined) return undefined;
  const input = { query: question, maxResults: 3 };
  return single("search_documentation", input, "I will search the documentation.", ({ text }) => text);
}

function single(tool: string, input: Fields, announce: string, words: PagePlan["words"]): PagePlan {
  return { steps: [{ tool, announce, input: () => input }], words };
}
