// A page with nothing but the grid, or nothing but an empty space that scrolls: what the browser can do at most.
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Grid } from "../../src/web/workbench/grid/grid.tsx";
import { newTable } from "../../src/web/workbench/data/make.ts";

// Libraries that add styles while they run look for the page's nonce under this name.
globalThis.__webpack_nonce__ = document.querySelector('meta[property="csp-nonce"]').nonce;
const asked = new URLSearchParams(location.search);
const ROWS = Number(asked.get("rows") ?? 1_000_000);
const COLUMNS = Number(asked.get("columns") ?? 300);
const WORDS = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ironwood", "juniper"];
const DAY_MS = 86_400_000;

/** The columns share their values: a page of 300 of them would need 2 GB. */
function bigTable() {
  const filled = (value) => {
    const numbers = new Float64Array(ROWS);
    let seed = 7;
    for (let row = 0; row < ROWS; row += 1) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      numbers[row] = value(row, seed / 2 ** 32);
    }
    return numbers;
  };
  const codes = Int32Array.from(filled((_, random) => (random < 0.02 ? -1 : Math.floor(random * 4_000))));
  const categories = Array.from(
    { length: 4_000 },
    (_, code) => `${WORDS[code % 10]} ${WORDS[(code * 7) % 10]} ${code}`,
  );
  const own = Array.from(
    { length: ROWS },
    (_, row) => `note ${(row * 7_919) % ROWS} of ${WORDS[row % 10]} in a longer text`,
  );
  const kinds = [
    { type: "int", numbers: filled((row) => row) },
    { type: "string", codes, categories },
    { type: "double", numbers: filled((_, random) => (random < 0.05 ? Number.NaN : random * 1_000)) },
    { type: "datetime", numbers: filled((row, random) => Math.floor(random * 9_000) * DAY_MS) },
    { type: "bool", numbers: filled((_, random) => Math.round(random)) },
    { type: "string", codes: Int32Array.from({ length: ROWS }, (_, row) => row), categories: own },
  ];
  const names = ["Id", "Tree", "Height", "Planted", "Alive", "Note"];
  const columns = Array.from({ length: COLUMNS }, (_, index) => {
    const round = Math.floor(index / kinds.length);
    return { ...kinds[index % kinds.length], name: `${names[index % kinds.length]}${round === 0 ? "" : ` ${round}`}` };
  });
  return newTable("Trees", columns);
}

function bare() {
  const outer = document.createElement("div");
  outer.id = "bare";
  outer.style.cssText = "height:100vh;overflow:auto";
  const inner = document.createElement("div");
  inner.style.cssText = "height:8000000px;width:40000px";
  outer.append(inner);
  document.body.append(outer);
}

if (asked.get("theme") === "dark") document.documentElement.dataset.theme = "dark";
if (asked.has("bare")) bare();
else {
  const table = bigTable();
  globalThis.table = table;
  const grid = createElement(Grid, { table, onFilter: (key, spec) => table.setFilter(key, spec) });
  const place = document.createElement("main");
  place.style.cssText = "height:100dvh";
  document.body.append(place);
  createRoot(place).render(createElement(StrictMode, undefined, grid));
}
