// Runs inside the workbench's script frame: a document of its own origin that may reach nothing. Each script gets a worker, so that
// an endless loop can be ended from outside. The worker's policy is this document's: no network, no storage, no further scripts.
"use strict";

const PRELUDE = `"use strict";
const tables = new Map();
const reply = (message) => self.postMessage(message);
self.onmessage = async ({ data }) => {
  const { table, limits } = data;
  const lines = [];
  let chars = 0;
  let cut = false;
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? String(value));
  const print = (...values) => {
    const line = values.map(shown).join(" ");
    if (chars + line.length > limits.printChars) { cut = true; return; }
    chars += line.length + 1;
    lines.push(line);
  };
  const made = { columns: [], tables: [] };
  const output = Object.freeze({
    addColumn(name, values) { made.columns.push({ name: String(name), values: [...values] }); },
    addTable(name, columns) {
      made.tables.push({ name: String(name), columns: Object.entries(columns).map(([column, values]) => ({ name: column, values: [...values] })) });
    },
  });
  try {
    const result = await run(Object.freeze(opened(table)), print, output);
    const text = result === undefined ? undefined : shown(result);
    reply({ type: "done", lines, cut, made, result: text === undefined ? undefined : text.slice(0, limits.resultChars), resultCut: text !== undefined && text.length > limits.resultChars });
  } catch (error) {
    reply({ type: "failed", lines, cut, message: error instanceof Error ? error.name + ": " + error.message : String(error) });
  }
};
function opened(table) {
  if (table === undefined) return { name: "", rowCount: 0, columnNames: [], filtered: [], selected: [], currentRow: -1, type() {}, get() { throw new Error("no table is open"); } };
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const find = (name) => {
    const column = byName.get(name) ?? table.columns.find((other) => other.name.toLowerCase() === String(name).toLowerCase());
    if (column === undefined) throw new Error("there is no column " + JSON.stringify(name) + "; there are: " + [...byName.keys()].join(", "));
    return column;
  };
  return {
    name: table.name, rowCount: table.rowCount, columnNames: [...byName.keys()],
    filtered: table.filtered, selected: table.selected, currentRow: table.currentRow,
    type: (name) => find(name).type,
    get: (name) => {
      const column = find(name);
      if (tables.has(column)) return tables.get(column);
      const values = column.categories === undefined
        ? Array.from(column.numbers, (number) => Number.isNaN(number) ? null : column.type === "bool" ? number !== 0 : column.type === "datetime" ? new Date(number) : number)
        : Array.from(column.codes, (code) => code < 0 ? null : column.categories[code]);
      tables.set(column, values);
      return values;
    },
  };
}
const run = async (table, print, output) => {
`;
/** Where the person's script begins in the worker's source: lines of errors are counted from there. */
const FIRST_LINE = PRELUDE.split("\n").length - 1;

/** @type {Map<string, Worker>} */
const running = new Map();

window.addEventListener("message", (event) => {
  if (event.source !== window.parent) return;
  const { type, id, script, table, limits } = event.data;
  if (type === "stop") return end(id);
  if (type !== "run" || running.has(id)) return;
  const url = URL.createObjectURL(new Blob([PRELUDE, script, "\n};\n"], { type: "text/javascript" }));
  const worker = new Worker(url);
  running.set(id, worker);
  /** Whatever the script's worker says first is passed on as it is: the page looks at it. */
  const answer = (message) => {
    if (running.get(id) !== worker) return;
    window.parent.postMessage({ type: "answer", id, answer: message }, "*");
    end(id);
    URL.revokeObjectURL(url);
  };
  worker.addEventListener("message", ({ data }) => answer(data));
  worker.addEventListener("error", (error) => {
    error.preventDefault();
    const line = error.lineno - FIRST_LINE;
    answer({
      type: "failed",
      lines: [],
      cut: false,
      message: `${error.message || "the script cannot be read"}${line > 0 ? ` (line ${line})` : ""}`,
    });
  });
  // A worker has no origin to name: the list is of what is handed over, and nothing is.
  worker.postMessage({ table, limits }, []);
});

/** @param {string} id */
function end(id) {
  running.get(id)?.terminate();
  running.delete(id);
}

window.parent.postMessage({ type: "ready" }, "*");
