import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { valueAt } from "../../../../src/web/workbench/data/column.ts";
import { readColumns } from "./reading.ts";

/** Files that DuckDB 1.5.6 wrote, the same 50 rows in each of its ways to pack them: dictionaries, several encodings, nested values. */
const FOLDER = join(import.meta.dirname, "parquet");

const TYPES = {
  id: "int",
  name: "string",
  score: "double",
  flag: "bool",
  day: "datetime",
  at: "datetime",
  price: "double",
  big: "bigint",
  list: "string",
  pair: "string",
  tiny: "int",
  huge: "double",
  bytes: "string",
  hour: "string",
  u: "bool",
};

const rowOf = (number: number, name: string | null): object => ({
  id: number,
  name,
  score: number * 1.5,
  flag: number % 3 === 0,
  day: new Date(Date.UTC(2024, 0, 1 + number)),
  at: new Date(Date.UTC(2024, 0, 1, 12 + number)),
  price: Math.round(number * 101) / 100,
  big: String(9007199254740993n + BigInt(number)),
  list: `[${number},${number + 1}]`,
  pair: `{"a":${number},"b":"x"}`,
  tiny: number,
  huge: number,
  bytes: String.raw`\xaabb`,
  hour: "01:02:03",
  u: true,
});

describe("Parquet files of another program", () => {
  test.each(["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"])("%s", async (codec) => {
    const bytes = new Uint8Array(readFileSync(join(FOLDER, `duck-${codec}.parquet`)));
    const columns = await readColumns("x.parquet", bytes);
    const row = (at: number): object => Object.fromEntries(columns.map((column) => [column.name, valueAt(column, at)]));
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual(TYPES);
    expect([row(0), row(8), row(49)]).toEqual([rowOf(0, null), rowOf(8, "name 3"), rowOf(49, null)]);
  });
});
