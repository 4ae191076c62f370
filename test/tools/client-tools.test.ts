import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Failure, LIMITS, type ContentBlock } from "../../src/protocol/index.ts";
import { problemsOf, schemaFault } from "../../src/tools/json-schema.ts";
import type { ClientTool } from "../../src/tools/index.ts";
import { textResult } from "../../src/tools/tool.ts";
import { bench } from "./fixture.ts";

const CITY = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city"],
  additionalProperties: false,
};

function tool(more: Partial<ClientTool> = {}): ClientTool {
  return {
    name: "mcp__page__weather",
    description: "Tells the weather.",
    input_schema: CITY,
    tier: "read",
    call: async (input) => textResult(`sunny in ${String(input["city"])}`),
    ...more,
  };
}

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.message];
    throw error;
  }
  return "no failure";
}

describe("a client tool", () => {
  test("is a tool like any other, until it is taken back", async () => {
    const tools = await bench({ only: (name) => name === "Read" });
    const own = tools.toolbox.definitions();
    const unregister = tools.toolbox.register([tool(), tool({ name: "mcp__page__add_pin", tier: "page" })]);
    expect(tools.toolbox.definitions()).toEqual([
      ...own,
      { name: "mcp__page__weather", description: "Tells the weather.", input_schema: CITY },
      { name: "mcp__page__add_pin", description: "Tells the weather.", input_schema: CITY },
    ]);
    expect([tools.toolbox.clientToolCount, tools.toolbox.facts("mcp__page__weather", { city: "Bern" })]).toEqual([
      2,
      { name: "mcp__page__weather", known: true, tier: "read", alwaysAsks: false, paths: [], hosts: [] },
    ]);
    expect(["weather", "add_pin"].map((name) => tools.toolbox.traits(`mcp__page__${name}`).concurrent)).toEqual([
      true,
      false,
    ]);
    expect((await tools.toolbox.preview("mcp__page__weather", { city: "Bern" })).preview).toEqual({
      type: "generic",
      summary: '{\n  "city": "Bern"\n}',
    });
    expect(await tools.text("mcp__page__weather", { city: "Bern" })).toBe("sunny in Bern");
    unregister();
    unregister();
    expect([tools.toolbox.clientToolCount, tools.toolbox.definitions()]).toEqual([0, own]);
    expect(tools.toolbox.facts("mcp__page__weather", { city: "Bern" }).known).toBe(false);
    expect(await tools.error("mcp__page__weather", { city: "Bern" })).toBe("Unknown tool: mcp__page__weather");
  });

  test("may be offered again under the same name, and then is the new one", async () => {
    const tools = await bench();
    tools.toolbox.register([tool()])();
    tools.toolbox.register([tool({ call: async () => textResult("rain") })]);
    expect(await tools.text("mcp__page__weather", { city: "Bern" })).toBe("rain");
  });

  test("learns the call's own id", async () => {
    const tools = await bench();
    const ids: unknown[] = [];
    const call: ClientTool["call"] = async (_input, { tool_use_id }) => {
      ids.push(tool_use_id);
      return textResult("");
    };
    tools.toolbox.register([tool({ call })]);
    await tools.text("mcp__page__weather", { city: "a" }, { tool_use_id: "toolu_1" });
    await tools.text("mcp__page__weather", { city: "a" });
    expect(ids).toEqual(["toolu_1", undefined]);
  });

  test.each<[unknown, string]>([
    [{}, "city is required"],
    [{ city: 5 }, "city must be a string"],
    [{ city: "a", days: 1.5 }, "days must be an integer"],
    [{ city: "a", days: 0 }, "days must be at least 1"],
    [{ city: "a", planet: "b" }, "planet is not an argument of this tool"],
    [{ days: "x", planet: 1 }, "city is required; days must be an integer; planet is not an argument of this tool"],
  ])("refuses %j: %s", async (input, expected) => {
    const tools = await bench();
    let called = 0;
    const call = async (): Promise<ReturnType<typeof textResult>> => {
      called += 1;
      return textResult("");
    };
    tools.toolbox.register([tool({ call })]);
    const text = `Invalid input for mcp__page__weather: ${expected}`;
    expect(tools.toolbox.facts("mcp__page__weather", input as Record<string, unknown>).schemaError).toBe(text);
    expect(await tools.error("mcp__page__weather", input as Record<string, unknown>)).toBe(text);
    expect(called).toBe(0);
  });

  test("names the whole input where no argument is to blame", async () => {
    const tools = await bench();
    const input_schema = { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    tools.toolbox.register([tool({ input_schema })]);
    expect(await tools.error("mcp__page__weather", {})).toBe(
      "Invalid input for mcp__page__weather: the input fits none of the allowed forms",
    );
  });

  test("refuses input that is too big", async () => {
    const tools = await bench();
    tools.toolbox.register([tool()]);
    expect(await tools.error("mcp__page__weather", { city: "x".repeat(LIMITS.toolInputBytes) })).toMatch(
      /^Invalid input for mcp__page__weather: it has \d+ bytes, at most \d+ may be sent$/,
    );
  });
});

describe("a call of a client tool", () => {
  /** A tool that answers when the test says so. */
  function held(more: Partial<ClientTool> = {}) {
    let answer: (text: string) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const signals: AbortSignal[] = [];
    const started: (() => void)[] = [];
    const slow = tool({
      call: (_input, { signal }) => {
        signals.push(signal);
        for (const go of started.splice(0)) go();
        return new Promise((resolve, reject) => {
          answer = (text) => resolve(textResult(text));
          fail = reject;
        });
      },
      ...more,
    });
    return {
      tool: slow,
      signals,
      begun: () => new Promise<void>((resolve) => started.push(resolve)),
      answer: (text: string) => answer(text),
      fail: (error: Error) => fail(error),
    };
  }

  test("ends with an error that says so when the tool is taken back", async () => {
    const tools = await bench();
    const { tool, signals, begun, answer } = held();
    const unregister = tools.toolbox.register([tool]);
    const begins = begun();
    const running = tools.error("mcp__page__weather", { city: "a" });
    await begins;
    expect(signals[0]?.aborted).toBe(false);
    unregister();
    expect(await running).toBe(
      "Error: mcp__page__weather was unregistered while it ran, so its outcome is unknown. It cannot be called any more.",
    );
    expect(signals[0]?.aborted).toBe(true);
    answer("too late");
  });

  test("ends when its time is over; what comes later is no accident", async () => {
    const tools = await bench();
    const { tool, signals, fail } = held({ timeoutMs: 20 });
    tools.toolbox.register([tool]);
    expect(await tools.error("mcp__page__weather", { city: "a" })).toBe(
      "Error: mcp__page__weather did not answer within 0.02s",
    );
    expect(signals[0]?.aborted).toBe(true);
    fail(new Error("too late"));
  });

  test("ends when the turn is stopped, and does not begin after that", async () => {
    const tools = await bench();
    const { tool, signals, begun } = held();
    tools.toolbox.register([tool]);
    const stop = new AbortController();
    const begins = begun();
    const running = tools.error("mcp__page__weather", { city: "a" }, { signal: stop.signal });
    await begins;
    stop.abort();
    expect(await running).toBe("Interrupted; outcome unknown.");
    expect(await tools.error("mcp__page__weather", { city: "a" }, { signal: stop.signal })).toBe(
      "Interrupted; not run.",
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test.each<[string, ClientTool["call"]]>([
    ["rejects", () => Promise.reject(new Error("no network"))],
    [
      "throws",
      () => {
        throw new Error("no network");
      },
    ],
  ])("that %s is an error that the model reads", async (_name, call) => {
    const tools = await bench();
    tools.toolbox.register([tool({ call })]);
    expect(await tools.error("mcp__page__weather", { city: "a" })).toBe("Error: no network");
  });

  const image = (bytes: number): ContentBlock => ({
    type: "image",
    media_type: "image/png",
    data: "A".repeat(Math.ceil((bytes * 4) / 3)),
  });

  test("answers no more than a model may be given", async () => {
    const tools = await bench();
    const answers: ContentBlock[][] = [
      [{ type: "text", text: "x".repeat(LIMITS.toolOutputChars + 5) }],
      [image(10), image(LIMITS.imageBytes + 3)],
      Array.from({ length: LIMITS.clientToolResultBlocks + 2 }, () => ({ type: "text", text: "a" })),
    ];
    tools.toolbox.register([
      tool({
        call: async () => ({
          content: answers.shift() ?? [],
          is_error: false,
          // What only our own tools may say is left out.
          changes: [{ path: "/etc/passwd", kind: "update" }],
          diff: "+",
          exit_code: 0,
        }),
      }),
    ]);
    const run = (): ReturnType<typeof tools.run> => tools.run("mcp__page__weather", { city: "a" });
    expect(await run()).toEqual({
      content: [{ type: "text", text: `${"x".repeat(LIMITS.toolOutputChars)}\n(5 characters were cut here.)` }],
      is_error: false,
    });
    expect(await run()).toEqual({
      content: [
        image(10),
        {
          type: "text",
          text: expect.stringMatching(/^\(An image of \d+ bytes was left out: at most 3932160 are shown\.\)$/),
        },
      ],
      is_error: false,
    });
    expect((await run()).content.slice(-2)).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "(2 more parts were left out.)" },
    ]);
  });

  test("is not begun in a toolbox that was closed", async () => {
    const tools = await bench();
    tools.toolbox.register([tool()]);
    await tools.toolbox.close();
    expect(await tools.error("mcp__page__weather", { city: "a" })).toBe(
      "The session is closed: no tool can run in it any more.",
    );
  });
});

describe("lending is refused, and nothing of it is kept", () => {
  const many = Array.from({ length: LIMITS.clientTools + 1 }, (_, index) => tool({ name: `mcp__page__t${index}` }));
  test.each<[string, readonly ClientTool[], string, string | RegExp]>([
    ["a taken name", [tool({ name: "mcp__page__taken" })], "conflict", "Two tools are named mcp__page__taken."],
    ["one name twice", [tool(), tool()], "conflict", "Two tools are named mcp__page__weather."],
    ["too many", many, "limit_reached", `a session may have ${LIMITS.clientTools} tools of pages and other programs`],
    [
      "a name of ours",
      [tool({ name: "Bash" })],
      "invalid_request",
      /^the tool "Bash" must be named mcp__<owner>__<tool>/,
    ],
    ["no owner", [tool({ name: "mcp____x" })], "invalid_request", /must be named/],
    ["odd characters", [tool({ name: "mcp__page__a b" })], "invalid_request", /must be named/],
    [
      "a long name",
      [tool({ name: `mcp__page__${"a".repeat(LIMITS.toolNameChars)}` })],
      "invalid_request",
      /must be named/,
    ],
    [
      "a long description",
      [tool({ description: "x".repeat(LIMITS.clientToolDescriptionChars + 1) })],
      "invalid_request",
      /may be described in 10000 characters$/,
    ],
    [
      "a big schema",
      [tool({ input_schema: { type: "object", description: "x".repeat(LIMITS.clientToolSchemaBytes) } })],
      "invalid_request",
      /may have a schema of 65536 bytes$/,
    ],
    ["no object", [tool({ input_schema: { type: "string" } })], "invalid_request", /its type must be "object"$/],
    ["no time", [tool({ timeoutMs: 0 })], "invalid_request", /may have 1 to 3600000 ms for a call$/],
    ["half a millisecond", [tool({ timeoutMs: 0.5 })], "invalid_request", /for a call$/],
    ["too much time", [tool({ timeoutMs: LIMITS.pageToolMaxMs + 1 })], "invalid_request", /for a call$/],
  ])("%s", async (_name, tools, code, message) => {
    const { toolbox } = await bench();
    toolbox.register([tool({ name: "mcp__page__taken" })]);
    const before = toolbox.definitions();
    const text = typeof message === "string" ? message : expect.stringMatching(message);
    expect(failureOf(() => toolbox.register([tool({ name: "mcp__page__good" }), ...tools]))).toEqual([code, text]);
    expect(toolbox.definitions()).toEqual(before);
  });
});

describe("a schema", () => {
  const nested = (depth: number): object =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };
  test.each<[unknown, string | undefined]>([
    [CITY, undefined],
    [{ type: "object" }, undefined],
    [{ type: "object", properties: { a: true, b: { $ref: "#/$defs/x~1y" } }, $defs: { "x/y": {} } }, undefined],
    [{ type: "object", properties: { a: { type: ["string", "null"], items: [{ type: "string" }] } } }, undefined],
    [null, "it must be an object"],
    [[], "it must be an object"],
    [{ type: "object", properties: { a: { type: "text" } } }, '/properties/a/type names no type: "text"'],
    [{ type: "object", properties: { a: 5 } }, "/properties/a must be a schema"],
    [{ type: "object", properties: true }, "/properties must be a schema"],
    [{ type: "object", anyOf: {} }, "/anyOf must be a schema"],
    [{ type: "object", items: [5] }, "/items/0 must be a schema"],
    [
      { type: "object", properties: { a: { $ref: "#/$defs/b" } } },
      "/properties/a/$ref must lead to a place within the schema (#/…)",
    ],
    [{ type: "object", $ref: "https://example.org/x" }, "/$ref must lead to a place within the schema (#/…)"],
    [nested(LIMITS.clientToolSchemaDepth), undefined],
    [nested(LIMITS.clientToolSchemaDepth + 1), "it may nest 64 deep"],
  ])("%j: %s", (schema, fault) => {
    expect(schemaFault(schema)).toBe(fault);
  });

  const tree = {
    type: "object",
    properties: { left: { $ref: "#" }, right: { $ref: "#" } },
    additionalProperties: false,
  };
  const deep = (depth: number): object => (depth === 0 ? {} : { left: deep(depth - 1) });
  test.each<[object, unknown, readonly string[]]>([
    [{ enum: ["a", { b: 1 }] }, { b: 1 }, []],
    [{ enum: ["a", 2] }, "b", [' must be one of "a", 2']],
    [{ const: 3 }, 4, [" must be 3"]],
    [{ type: ["string", "null"] }, 1, [" must be a string or null"]],
    [{ type: "array", items: { type: "string" } }, ["a", 1], ["1 must be a string"]],
    [{ type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }, [1, 2], ["0 must be a string"]],
    [{ type: "array", items: [{ type: "string" }] }, [1, 2], ["0 must be a string"]],
    [{ type: "array", minItems: 1, maxItems: 1 }, [], [" must have at least 1 items"]],
    [{ type: "array", maxItems: 1 }, [1, 2], [" must have at most 1 items"]],
    [{ minLength: 2, maxLength: 3 }, "\u{1F600}", [" must have at least 2 characters"]],
    [{ maxLength: 2 }, "\u{1F600}\u{1F600}", []],
    [{ maxLength: 2 }, "abc", [" must have at most 2 characters"]],
    [{ maximum: 1, exclusiveMinimum: 2 }, 2, [" must be at most 1", " must be more than 2"]],
    [{ exclusiveMaximum: 2 }, 2, [" must be less than 2"]],
    [{ additionalProperties: { type: "number" } }, { a: 1, b: "x" }, ["b must be a number"]],
    [{ patternProperties: { "^a": {} }, additionalProperties: false }, { b: 1 }, []],
    [{ properties: { a: false } }, { a: 1 }, ["a is not allowed here"]],
    [{ required: ["toString"] }, {}, ["toString is required"]],
    [{ allOf: [{ minimum: 1 }, { maximum: 0 }] }, 0, [" must be at least 1"]],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, [" fits none of the allowed forms"]],
    [
      { oneOf: [{ type: "number" }, { type: "integer" }] },
      1,
      [" fits more than one of the allowed forms, but may fit only one"],
    ],
    [{ oneOf: [{ type: "string" }] }, 1, [" fits none of the allowed forms"]],
    [{ not: { type: "string" } }, "a", [" has a form that is not allowed"]],
    // An expression of a stranger is not evaluated here.
    [{ pattern: "^(a+)+$" }, `${"a".repeat(50)}!`, []],
    [tree, { left: { right: {} } }, []],
    [tree, { left: { up: {} } }, ["left.up is not an argument of this tool"]],
    [tree, deep(200), [" is too deep or too long to be checked"]],
    [{ $ref: "#" }, {}, [" is too deep or too long to be checked"]],
    [
      { items: { anyOf: Array.from({ length: 100 }, (_, index) => ({ const: index })) } },
      Array.from({ length: 2_000 }, () => "x"),
      [" is too deep or too long to be checked"],
    ],
  ])("%j on %j: %j", (schema, input, expected) => {
    const problems = problemsOf(schema as Record<string, unknown>, input);
    expect(problems.map(({ path, message }) => `${path.join(".")} ${message}`)).toEqual(expected);
  });

  test("is judged as zod judges what it was made from", () => {
    const shapes = [
      z.strictObject({ a: z.string().max(3), b: z.number().int().min(-1).max(5).optional() }),
      z.object({ a: z.array(z.union([z.string(), z.null(), z.boolean()])).max(2), b: z.unknown() }),
      z.strictObject({ a: z.enum(["x", "y"]), b: z.record(z.string(), z.number()).optional() }),
      z.object({
        a: z.discriminatedUnion("kind", [
          z.strictObject({ kind: z.literal("x") }),
          z.object({ kind: z.literal("y"), n: z.int() }),
        ]),
      }),
    ];
    const leaf = fc.oneof(
      fc.constantFrom("x", "y", "long text", "", 0, -1, 5, 6, 1.5, true, null),
      fc.integer(),
      fc.string(),
    );
    const part = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("kind", "n", "m"), leaf),
    );
    const value = fc.record({ a: part, b: part, c: leaf }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.constantFrom(...shapes), value, (shape, input) => {
        const schema = z.toJSONSchema(shape, { io: "input" }) as Record<string, unknown>;
        expect(schemaFault(schema)).toBeUndefined();
        expect(problemsOf(schema, input).length === 0).toBe(shape.safeParse(input).success);
      }),
      { seed: 4711, numRuns: 2_000 },
    );
  });
});
