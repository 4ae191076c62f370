import type { ScriptSample } from "../../../../contexts/hosts.ts";

/** Scripts for `run_script` to begin from. Each one is run by a test. */
export const SCRIPT_SAMPLES: readonly ScriptSample[] = [
  {
    name: "Count the values of a column",
    description: "Counts how often each value of a column of categories occurs, most frequent first",
    language: "javascript",
    code: `const counts = new Map();
for (const value of table.get("SEX")) counts.set(value, (counts.get(value) ?? 0) + 1);
return Object.fromEntries([...counts].sort((left, right) => right[1] - left[1]));`,
  },
  {
    name: "Mean by group",
    description: "Averages a numeric column for each group of another column and opens the result as a table",
    language: "javascript",
    code: `const groups = new Map();
const values = table.get("AGE");
table.get("RACE").forEach((group, row) => {
  if (values[row] === null) return;
  const { sum, count } = groups.get(group) ?? { sum: 0, count: 0 };
  groups.set(group, { sum: sum + values[row], count: count + 1 });
});
const names = [...groups.keys()];
output.addTable("AGE by RACE", { RACE: names, mean: names.map((name) => groups.get(name).sum / groups.get(name).count) });
return names.length;`,
  },
  {
    name: "Standard score column",
    description: "Adds a column with the z-score: how many standard deviations a value is from the mean",
    language: "javascript",
    code: `const values = table.get("WEIGHT");
const known = values.filter((value) => value !== null);
const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
const deviation = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length - 1));
output.addColumn("WEIGHT z-score", values.map((value) => (value === null ? null : (value - mean) / deviation)));`,
  },
  {
    name: "Rolling mean",
    description: "Smooths a numeric column over the last seven rows and adds it as a column",
    language: "javascript",
    code: `const values = table.get("HEIGHT");
const window = 7;
output.addColumn("HEIGHT rolling", values.map((_, row) => {
  const part = values.slice(Math.max(0, row - window + 1), row + 1).filter((value) => value !== null);
  return part.length === 0 ? null : part.reduce((sum, value) => sum + value, 0) / part.length;
}));`,
  },
  {
    name: "Find outliers",
    description: "Lists rows whose value lies outside 1.5 times the interquartile range",
    language: "javascript",
    code: `const values = table.get("WEIGHT");
const sorted = values.filter((value) => value !== null).sort((left, right) => left - right);
const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
const [low, high] = [at(0.25), at(0.75)];
const reach = 1.5 * (high - low);
const outside = values.flatMap((value, row) => (value !== null && (value < low - reach || value > high + reach) ? [row] : []));
print("outliers:", outside.length);
return outside.slice(0, 20);`,
  },
  {
    name: "Missing values of each column",
    description: "Counts missing values (nulls) for every column of the table",
    language: "javascript",
    code: `return Object.fromEntries(table.columnNames.map((name) => [name, table.get(name).filter((value) => value === null).length]));`,
  },
];
