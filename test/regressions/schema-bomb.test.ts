import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { problemsOf } from "../../src/tools/json-schema.ts";
import { cpuTime } from "../support/cpu-time.ts";

const TOO_MUCH = [{ path: [], message: "is too deep or too long to be checked" }];
const list = (items: object): Record<string, unknown> => ({
  type: "object",
  properties: { list: { type: "array", items } },
});
const many = <Value>(count: number, of: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => of(at));

/** A schema that a caller chooses, and an answer that it makes the model give: neither may hold up the server. */
const BOMBS: readonly (readonly [name: string, schema: Record<string, unknown>, input: object])[] = [
  ["names that are required", list({ required: many(9_000, (at) => `n${at}`) }), { list: many(20_000, () => ({})) }],
  ["names that are there", list({ required: many(20_000, () => "n") }), { list: many(40_000, () => ({ n: 1 })) }],
  ["types", list({ type: many(6_000, () => "string") }), { list: many(90_000, () => 1) }],
  ["values of an enumeration", list({ enum: many(9_000, (at) => at) }), { list: many(90_000, () => -1) }],
  [
    "one long text, measured again and again",
    { type: "object", properties: { text: { allOf: many(3_000, () => ({ minLength: 1 })) } } },
    { text: "a".repeat(4_000_000) },
  ],
  [
    "long references",
    {
      type: "object",
      $defs: { ["d".repeat(60_000)]: { type: "number" } },
      properties: { list: { items: { $ref: `#/$defs/${"d".repeat(60_000)}` } } },
    },
    { list: many(90_000, () => 1) },
  ],
];

describe("a schema that is a bomb", () => {
  it.each(BOMBS)("%s", (_name, schema, input) => {
    const began = cpuTime();
    expect(problemsOf(schema, input)).toEqual(TOO_MUCH);
    expect(cpuTime() - began).toBeLessThan(5_000);
  });

  it("is told of in a few words, however much does not fit", () => {
    const problems = problemsOf(list({ type: "string" }), { list: many(1_000, () => 1) });
    expect(problems.length).toBe(LIMITS.schemaIssues);
  });

  it("is still a schema: what fits one of its forms fits after many that it did not", () => {
    const forms = [...many(50, () => ({ type: "object", required: many(20, (at) => `n${at}`) })), { type: "object" }];
    expect(problemsOf({ type: "object", anyOf: forms }, {})).toEqual([]);
  });
});
