// The SQL pane alone, over a small table and a large one, with a server that knows one database.
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { newTable, columnOf } from "../../../../src/web/workbench/data/make.ts";
import { QueryHistory } from "../../../../src/web/workbench/sql/history.ts";
import { PageSql } from "../../../../src/web/workbench/sql/page-sql.ts";
import { QueryTabs } from "../../../../src/web/workbench/sql/query-tabs.ts";
import { SqlPane } from "../../../../src/web/workbench/sql/pane.tsx";

globalThis.__webpack_nonce__ = document.querySelector('meta[property="csp-nonce"]').nonce;
const asked = new URLSearchParams(location.search);
if (asked.get("theme") === "dark") document.documentElement.dataset.theme = "dark";

const ROWS = Number(asked.get("rows") ?? 100_000);
const people = newTable("Demog 2024.csv", [
  columnOf("Name", ["Ada", "Bo", null, "Zoë", "Ada"]),
  columnOf("Age", [36, 41, null, 29, 52]),
  columnOf("Height", [1.71, Number.NaN, 1.8, 1.65, 1.9]),
  columnOf("Born", [
    new Date("1988-01-31"),
    null,
    new Date("1970-01-01"),
    new Date("1995-05-05T10:30:00Z"),
    new Date("1960-12-24"),
  ]),
  columnOf("Alive", [true, false, null, true, true]),
  columnOf("Code", [9_007_199_254_740_993n, 1n, 2n, null, -5n], "bigint"),
]);
const numbers = Float64Array.from({ length: ROWS }, (_, row) => row);
const large = newTable("large", [
  { name: "id", type: "int", numbers },
  {
    name: "text",
    type: "string",
    codes: Int32Array.from(numbers),
    categories: Array.from(numbers, (row) => `text ${row} of many`),
  },
]);

const listeners = new Set();
const workbench = {
  views: asked.has("empty") ? [] : [{ table: people }, { table: large }],
  addTable: (table) => {
    workbench.views = [...workbench.views, { table }];
    for (const listener of listeners) listener();
  },
  subscribe: (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

const client = {
  connections: async () => ({
    connections: [{ id: "sales", name: "Sales", kind: "postgres", default_catalog: "sales" }],
  }),
  catalogs: async () => ({ catalogs: ["sales"] }),
  catalog: async () => ({
    catalog: "sales",
    schemas: [{ name: "crm", tables: [{ name: "Orders", row_count: 3, columns: [{ name: "id", type: "int8" }] }] }],
    joins: [],
    truncated: false,
  }),
  querySql: async (id, { sql }) => {
    if (sql.includes("wrong")) throw new Error('relation "wrong" does not exist');
    return {
      columns: [
        { name: "id", type: "int8" },
        { name: "at", type: "timestamptz" },
      ],
      rows: [
        [1, "2024-05-31T10:00:00.000Z"],
        ["9007199254740993", null],
      ],
      row_count: 2,
      truncated: true,
      elapsed_ms: 1,
    };
  },
};

const sql = new PageSql(workbench);
Object.assign(globalThis, { workbench, sql });
const place = document.createElement("main");
place.style.cssText = "height:100dvh";
document.body.append(place);
const tabs = new QueryTabs(localStorage, () => crypto.randomUUID());
addEventListener("storage", ({ key }) => tabs.storageChanged(key));
const props = {
  tabs,
  workbench,
  sql,
  history: new QueryHistory(localStorage),
  client: asked.has("alone") ? { ...client, connections: async () => ({ connections: [] }) } : client,
};
createRoot(place).render(createElement(StrictMode, undefined, createElement(SqlPane, props)));
