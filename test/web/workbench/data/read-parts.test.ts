import { describe, expect, test } from "vitest";
import { unpackTable } from "../../../../src/web/workbench/data/read/packed.ts";
import { parseFile } from "../../../../src/web/workbench/data/read/parse.ts";
import { shown } from "./reading.ts";

const read = async (name: string, text: string, part?: string) => {
  const packed = await parseFile(new Blob([text]), { name, part });
  const columns = await unpackTable(
    packed,
    () => 0,
    () => Promise.resolve(),
  );
  return { columns: shown(columns), notes: packed.notes };
};

describe("what of a JSON file is the table", () => {
  test("a person chooses among several lists", async () => {
    const graph =
      '{"nodes":[{"name":"a"},{"name":"b"}],"links":[{"source":0,"target":1,"value":3}],"meta":{"tags":["x"]}}';
    await expect(read("graph.json", graph)).rejects.toMatchObject({
      choices: [
        { part: "nodes", rows: 2 },
        { part: "links", rows: 1 },
        { part: "meta.tags", rows: 1 },
      ],
    });
    expect(await read("graph.json", graph, "links")).toEqual({
      columns: [
        ["source", "int", [0]],
        ["target", "int", [1]],
        ["value", "int", [3]],
      ],
      notes: undefined,
    });
    expect((await read("graph.json", graph, "meta.tags")).columns).toEqual([["tags", "string", ["x"]]]);
    await expect(read("graph.json", graph, "nosuch")).rejects.toThrow('The JSON has no list "nosuch": choose another.');
  });

  test("names with points are found", async () => {
    expect((await read("x.json", '{"a.b":{"c":[{"d":1}],"e":[{"f":2}]}}', "a.b.e")).columns).toEqual([
      ["f", "int", [2]],
    ]);
  });

  test("GeoJSON: what features say of themselves, and where they are", async () => {
    const text = JSON.stringify({
      type: "FeatureCollection",
      metadata: { generated: 1 },
      bbox: [1, 2, 3, 4],
      features: [
        {
          type: "Feature",
          id: "us1",
          properties: { mag: 4.5, place: "Fiji", type: "earthquake" },
          geometry: { type: "Point", coordinates: [-178.5, -17.25, 10] },
        },
        { type: "Feature", properties: { mag: null, id: 7 }, geometry: null },
        {
          type: "Feature",
          properties: {},
          geometry: {
            type: "LineString",
            coordinates: [
              [0, 1],
              [2, 3],
            ],
          },
        },
      ],
    });
    expect((await read("quakes.geojson", text)).columns).toEqual([
      ["id", "string", ["us1", "7", null]],
      ["mag", "double", [4.5, null, null]],
      ["place", "string", ["Fiji", null, null]],
      ["type", "string", ["earthquake", null, null]],
      ["geometry", "string", ["Point", null, "LineString"]],
      ["longitude", "double", [-178.5, null, null]],
      ["latitude", "double", [-17.25, null, null]],
      ["altitude", "int", [10, null, null]],
      ["coordinates", "string", [null, null, "[[0,1],[2,3]]"]],
    ]);
  });

  test("a raster: its values with their places", async () => {
    expect(await read("volcano.json", '{"width":3,"height":2,"values":[1,2,3,4,5,6]}')).toEqual({
      columns: [
        ["x", "int", [0, 1, 2, 0, 1, 2]],
        ["y", "int", [0, 0, 0, 1, 1, 1]],
        ["values", "int", [1, 2, 3, 4, 5, 6]],
      ],
      notes: undefined,
    });
  });

  test("what is left out is reported", async () => {
    expect(await read("x.json", '{"a":[1,2],"b":[3,4],"title":"t"}')).toEqual({
      columns: [
        ["a", "int", [1, 2]],
        ["b", "int", [3, 4]],
      ],
      notes: ["Left out, because they are not lists: title."],
    });
  });

  test("decimal numbers that no double holds are exact", async () => {
    const { columns } = await read("x.json", '[{"a":12345678901234567890.25,"b":0.30000000000000004},{"a":1.5,"b":1}]');
    expect(columns).toEqual([
      ["a", "double", [12_345_678_901_234_567_000, 1.5]],
      ["b", "double", [0.300_000_000_000_000_04, 1]],
    ]);
  });
});

describe("notes of a CSV file", () => {
  const rows = (cell: (row: number) => string, count = 40): string =>
    `a\n${Array.from({ length: count }, (_, row) => cell(row)).join("\n")}\n`;
  test.each([
    [
      "a quote that is not closed",
      'a,b\n1,2\n3,"open\n4,5\n6,7\n',
      ["A quote in row 2 is not closed: the rest of the file is in one cell. Close the quote in the file."],
    ],
    ["a closed quote at the end", 'a,b\n1,"x""y"', undefined],
    [
      "a cell unlike the others",
      rows((row) => (row === 29 ? "n.a." : String(row))),
      ['"a" is read as text: "n.a." in row 30 is unlike those before it.'],
    ],
    [
      "a number that is too large",
      rows((row) => (row === 1 ? "1e400" : "1.5"), 3),
      ['"a" is read as text: "1e400" in row 2 is too large for a number.'],
    ],
    ["names and numbers from the start", "a\n12\nA7\n44\n", undefined],
    [
      "times finer than a microsecond",
      rows(() => "2024-01-02T03:04:05.123456789Z", 2),
      ['The times of "a" are finer than a microsecond: they are cut to microseconds.'],
    ],
    ["times with zeros", rows(() => "2024-01-02T03:04:05.123456000Z", 2), undefined],
  ])("%s", async (_name, text, notes) => {
    expect((await read("x.csv", text)).notes).toEqual(notes);
  });
});
