import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_TOKENS, type UsageLine } from "../../src/protocol/index.ts";
import { usageCsv } from "../../src/surfaces/csv.ts";

const HEADER =
  "requests,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens,reasoning_tokens,web_searches,cost_microusd,bound_microusd,cost_dollars";

function line(change: Partial<UsageLine>): UsageLine {
  return { requests: 1, tokens: NO_TOKENS, cost_microusd: 0, bound_microusd: 0, ...change };
}

/** A reader of RFC 4180 and nothing more. */
function parse(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let rest = text;
  while (rest !== "") {
    const quoted = /^"((?:[^"]|"")*)"(,|\r\n)/.exec(rest);
    const plain = /^([^",\r\n]*)(,|\r\n)/.exec(rest);
    const found = quoted ?? plain;
    if (found === null) throw new Error(`not CSV: ${rest.slice(0, 80)}`);
    row.push(quoted === null ? (found[1] ?? "") : (found[1] ?? "").replaceAll('""', '"'));
    if (found[2] === "\r\n") {
      rows.push(row);
      row = [];
    }
    rest = rest.slice(found[0].length);
  }
  return rows;
}

describe("usage as CSV", () => {
  it("has a line of names and one for each group, ended by CRLF", () => {
    const lines = [
      line({
        day: "2026-11-14",
        model: "claude",
        requests: 3,
        tokens: {
          input: 1,
          output: 2,
          cache_read: 3,
          cache_write: 4,
          cache_write_1h: 5,
          reasoning: 6,
          web_searches: 7,
        },
        cost_microusd: 12_000_034,
        bound_microusd: 9,
      }),
      line({ day: "2026-11-15", model: "sim" }),
    ];
    expect(usageCsv(["day", "model"], lines)).toBe(
      `day,model,${HEADER}\r\n` +
        "2026-11-14,claude,3,1,2,3,4,5,6,7,12000034,9,12.000034\r\n" +
        "2026-11-15,sim,1,0,0,0,0,0,0,0,0,0,0.000000\r\n",
    );
  });

  it("has only the names where nothing was used", () => {
    expect(usageCsv(["turn"], [])).toBe(`turn,${HEADER}\r\n`);
  });

  it.each([
    ["plain", "plain"],
    ["", ""],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["a;b", '"a;b"'],
    ["=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""],
    ["+1", '"\'+1"'],
    ["-1", '"\'-1"'],
    ["@SUM(A1)", '"\'@SUM(A1)"'],
    ["\t=1", '"\'\t=1"'],
    ["  =1", '"\'  =1"'],
    ["\uFF1D1", '"\'\uFF1D1"'],
    ["gpt-5", "gpt-5"],
  ])("writes %j as %j", (model, cell) => {
    expect(usageCsv(["model"], [line({ model })]).split(`${HEADER}\r\n`)[1]).toBe(
      `${cell},1,0,0,0,0,0,0,0,0,0,0.000000\r\n`,
    );
  });

  it("is read back as it was, whatever the names are, and begins no cell with a formula", () => {
    const name = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', "'", ",", " ", "a") }),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ model: name, agent: name }), { maxLength: 5 }), (names) => {
        const [titles, ...rows] = parse(usageCsv(["agent", "model"], names.map(line)));
        expect(titles?.slice(0, 3)).toEqual(["agent", "model", "requests"]);
        const given = names.map(({ agent, model }) => [agent, model]);
        const read = rows.map((row, at) =>
          row.slice(0, 2).map((cell, column) => (cell === `'${given[at]?.[column]}` ? cell.slice(1) : cell)),
        );
        expect(read).toEqual(given);
        for (const row of rows) for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
      { seed: 20_261_115, numRuns: 500 },
    );
  });
});
