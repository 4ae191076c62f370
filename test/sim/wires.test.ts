import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/sim/index.ts";
import { Client } from "./world.ts";
import { lastOf, WIRES, type Json, type Wire } from "./wires.ts";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

const ALL = Object.values(WIRES);
const play = (...steps: readonly unknown[]): string => `sim: ${JSON.stringify(steps)}`;

async function ask(wire: Wire, conversation: readonly unknown[], more: object = {}): Promise<Json> {
  const response = await client.post(wire.body(conversation, more), wire.path);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Json;
}

async function stream(wire: Wire, conversation: readonly unknown[], more: object = {}): Promise<string> {
  return (await client.post(wire.body(conversation, { stream: true, ...more }), wire.path)).text();
}

describe.each(ALL)("on $name", (wire) => {
  const SAME: readonly { readonly name: string; readonly steps: readonly unknown[] }[] = [
    { name: "text", steps: [{ say: "One two\n\nthree  " }] },
    { name: "thinking and several texts", steps: [{ think: "hm, well" }, { say: "a" }, { say: "b" }] },
    {
      name: "several tools with odd inputs",
      steps: [
        { say: "I call." },
        {
          tools: [
            { tool: "A", input: { text: '\u{1F600} "\\\u0000é', deep: { list: [1, null, true] } } },
            { tool: "B" },
          ],
        },
      ],
    },
    { name: "a call alone", steps: [{ tool: "A", input: { a: 1 } }] },
    { name: "a stream of tokens", steps: [{ stream: { tokens: 700 } }] },
    {
      name: "usage",
      steps: [{ usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 } }, { say: "x" }],
    },
    { name: "a stop sequence", steps: [{ say: "x" }, { stop_reason: "stop_sequence" }] },
    { name: "a refusal", steps: [{ say: "x" }, { stop_reason: "refusal" }] },
    { name: "nothing", steps: [] },
  ];
  test.each(SAME)("a stream of $name is the answer without streaming, in pieces", async ({ steps }) => {
    const conversation = wire.user(play(...steps));
    const pieces = await stream(wire, conversation);
    expect(await stream(wire, conversation)).toBe(pieces);
    expect(wire.assemble(pieces)).toEqual(await ask(wire, conversation));
  });

  test("any script says the same in pieces and whole, and never more than it may", async () => {
    const word = fc.stringMatching(/^[a-zé\u{1F600} ]{1,30}$/u);
    const step = fc.oneof(
      word.map((say) => ({ say })),
      word.map((think) => ({ think })),
      fc.integer({ min: 1, max: 40 }).map((tokens) => ({ stream: { tokens } })),
      fc.record({ tool: fc.constantFrom("Read", "T"), input: fc.record({ a: word, b: fc.integer() }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 5 }),
        fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
        async (steps, max) => {
          const conversation = wire.user(play(...steps));
          const more = max === undefined ? {} : { [wire.maxTokens]: max };
          const whole = await ask(wire, conversation, more);
          // Half of an input is no JSON, which only Anthropic's reader of it must not see.
          const cut = wire === WIRES.anthropic && wire.said(whole).stop === wire.ends.tokens;
          if (!cut) expect(wire.assemble(await stream(wire, conversation, more))).toEqual(whole);
          expect(wire.said(whole).usage.output).toBeLessThanOrEqual(max ?? Infinity);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });

  test("a script goes on after each result and then ends with nothing", async () => {
    const steps = [
      { think: "hm" },
      { say: "a" },
      { tool: "T", input: { x: 1 } },
      { say: "b" },
      { tools: [{ tool: "U" }, { tool: "V" }] },
      { say: "c" },
      { tool: "W" },
    ];
    const conversation = [...wire.user(play(...steps))];
    const seen: unknown[] = [];
    for (;;) {
      const answer = await ask(wire, conversation);
      const { text, calls, stop } = wire.said(answer);
      seen.push([stop, text, ...calls.map(({ name, input }) => `${String(name)}${String(input)}`)]);
      if (calls.length === 0) break;
      const results = calls.map(() => "done");
      conversation.push(...wire.after(answer, results));
    }
    const { whole, calls } = wire.ends;
    expect(seen).toEqual([
      [calls, "a", 'T{"x":1}'],
      [calls, "b", "U{}", "V{}"],
      [calls, "c", "W{}"],
      [whole, ""],
    ]);
  });

  test("the demo uses the tools that were offered and stops at a no", async () => {
    const more = { tools: ["Write", "Bash"].map((name) => wire.tool(name)) };
    const conversation = [...wire.user("create a.txt with content hi, then run ls")];
    const seen: unknown[] = [];
    for (const result of ["Wrote a.txt", "User rejected: not now", ""]) {
      const answer = await ask(wire, conversation, more);
      const { text, calls } = wire.said(answer);
      seen.push(calls.length === 0 ? text : calls);
      conversation.push(...wire.after(answer, [result]));
    }
    expect(seen).toEqual([
      [{ name: "Write", input: '{"file_path":"a.txt","content":"hi\\n"}' }],
      [{ name: "Bash", input: '{"command":"ls","description":"Run the requested command"}' }],
      expect.stringMatching(/I wrote a\.txt .* You said no to Bash.*"not now"/),
    ]);
  });

  describe("faults:", () => {
    /** What came of a request: the answer's status and body, the stream's last word, or how the connection ended. */
    async function outcome(steps: readonly unknown[], streamed: boolean): Promise<unknown> {
      const more = streamed ? { stream: true } : {};
      try {
        const response = await client.post(wire.body(wire.user(play(...steps)), more), wire.path);
        const text = await response.text();
        if (!response.ok) return [response.status, response.headers.get("retry-after"), JSON.parse(text)];
        return streamed ? lastOf(wire, text) : JSON.parse(text);
      } catch (error) {
        return (error as Error).message;
      }
    }

    test.each([true, false])(
      "an error before the first word (streaming: %s) comes as often as it says",
      async (way) => {
        const steps = [{ error: { status: 429, times: 2, retry_after: 3 } }, { say: way ? "ok" : "fine" }];
        const limited = [429, "3", wire.errorBody(429, "scripted error 429")];
        expect([await outcome(steps, way), await outcome(steps, way)]).toEqual([limited, limited]);
        expect(await outcome(steps, way)).not.toEqual(limited);
        expect(await outcome(steps, way)).toEqual(limited);
      },
    );

    test("an error in the middle comes once", async () => {
      const steps = [{ say: "half" }, { error: { status: 500, message: "oh" } }, { say: "rest" }];
      const failed: unknown =
        wire === WIRES.responses
          ? expect.objectContaining({
              type: "response.failed",
              response: expect.objectContaining({ status: "failed", error: { code: "server_error", message: "oh" } }),
            })
          : wire === WIRES.chat
            ? wire.errorBody(500, "oh")
            : { type: "error", error: { type: "api_error", message: "oh" } };
      expect(await outcome(steps, true)).toEqual(failed);
      expect(wire.said(wire.assemble(await stream(wire, wire.user(play(...steps))))).text).toBe("halfrest");
      expect(await outcome(steps, false)).toEqual([500, null, wire.errorBody(500, "oh")]);
    });

    const BROKEN = [
      { name: "a cut", steps: [{ say: "half" }, { cut: true }, { say: "rest" }], first: "terminated" },
      { name: "a cut after a pause", steps: [{ say: "half" }, { delay_ms: 1 }, { cut: true }], first: "terminated" },
      { name: "garbage", steps: [{ say: "half" }, { malformed: true }], first: expect.stringContaining("JSON") },
    ];
    test.each(BROKEN)("$name in the middle comes once", async ({ steps, first }) => {
      expect(await outcome(steps, true)).toEqual(first);
      expect(wire.said(wire.assemble(await stream(wire, wire.user(play(...steps))))).stop).toBe(wire.ends.whole);
      expect(await outcome(steps, false)).toEqual(typeof first === "string" ? "fetch failed" : first);
      expect(wire.said((await outcome(steps, false)) as Json).stop).toBe(wire.ends.whole);
    });
  });

  const CUT: readonly {
    readonly name: string;
    readonly steps: readonly unknown[];
    readonly max: number;
    readonly text?: string;
    readonly thought?: string;
    readonly calls?: readonly string[];
    readonly output: number;
    readonly whole?: boolean;
  }[] = [
    { name: "tokens", steps: [{ stream: { tokens: 700 } }], max: 3, text: "one more word ", output: 3 },
    {
      name: "tokens that just fit",
      steps: [{ stream: { tokens: 3 } }],
      max: 3,
      text: "one more word ",
      output: 3,
      whole: true,
    },
    { name: "text", steps: [{ say: "abcdefghijkl" }], max: 2, text: "abcdefgh", output: 2 },
    {
      name: "text, never in the middle of a character",
      steps: [{ say: "abc\u{1F600}def" }],
      max: 1,
      text: "abc",
      output: 1,
    },
    {
      name: "the second text",
      steps: [{ say: "abcd" }, { say: "efgh" }, { say: "ijkl" }],
      max: 2,
      text: "abcdefgh",
      output: 2,
    },
    { name: "a thought", steps: [{ think: "abcdefgh" }, { say: "never" }], max: 1, thought: "abcd", output: 1 },
    {
      name: "a call's input",
      steps: [{ say: "abcd" }, { tool: "Read", input: { a: "bcdefghijk" } }],
      max: 4,
      text: "abcd",
      calls: [wire === WIRES.anthropic ? "{}" : '{"a":"bc'],
      output: 4,
    },
    { name: "a call before its name", steps: [{ say: "abcd" }, { tool: "Read" }], max: 1, text: "abcd", output: 1 },
    { name: "what comes before a fault", steps: [{ say: "abcdefgh" }, { cut: true }], max: 1, text: "abcd", output: 1 },
  ];
  test.each(CUT)("max tokens end $name", async ({ steps, max, text = "", thought = "", calls = [], output, whole }) => {
    const said = wire.said(await ask(wire, wire.user(play(...steps)), { [wire.maxTokens]: max }));
    expect({ ...said, calls: said.calls.map(({ input }) => input), usage: said.usage.output }).toEqual({
      text,
      thought,
      calls,
      stop: whole === true ? wire.ends.whole : wire.ends.tokens,
      usage: output,
    });
  });

  test("a script says its own usage", async () => {
    const usage = { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 30, cache_creation_input_tokens: 200 };
    const said = wire.said(await ask(wire, wire.user(play({ usage }, { say: "x" }))));
    expect(said.usage).toEqual({ input: 7, output: 5, read: 30, write: 200 });
  });

  test("a request costs what its words cost", async () => {
    const prompt = play({ think: "12345678" }, { say: "1234" });
    const { usage } = wire.said(await ask(wire, wire.user(prompt)));
    const input = estimateTokens(wire === WIRES.responses ? `${prompt}text` : prompt);
    expect(usage).toEqual({ input, output: 3, read: 0, write: 0 });
  });

  test("hanging up frees the server at once", async () => {
    const controller = new AbortController();
    const response = await fetch(client.server.url + wire.path, {
      method: "POST",
      signal: controller.signal,
      body: JSON.stringify(wire.body(wire.user(play({ say: "a" }, { delay_ms: 600_000 })), { stream: true })),
    });
    controller.abort();
    await expect(response.text()).rejects.toThrow("abort");
  });
});

describe.each([WIRES.chat, WIRES.responses])("on $name", (wire) => {
  test("the beginning of a long conversation was read from the cache", async () => {
    const first = wire.user(`${"x".repeat(8_000)}\n${play({ tool: "T" }, { say: "end" })}`);
    const one = await ask(wire, first);
    const two = await ask(wire, [...first, ...wire.after(one, ["ok"])]);
    expect([wire.said(one).usage.read, wire.said(two).usage.read]).toEqual([0, 1_920]);
  });

  test("a tool that takes plain text gets plain text", async () => {
    const custom =
      wire === WIRES.chat ? { type: "custom", custom: { name: "patch" } } : { type: "custom", name: "patch" };
    const conversation = wire.user(
      play({ tools: [{ tool: "patch", input: { input: "+ \u{1F600} one\n" } }, { tool: "T" }] }, { say: "end" }),
    );
    const more = { tools: [custom, wire.tool("T")] };
    const answer = await ask(wire, conversation, more);
    expect(wire.assemble(await stream(wire, conversation, more))).toEqual(answer);
    expect(wire.said(answer).calls).toEqual([
      { name: "patch", input: "+ \u{1F600} one\n" },
      { name: "T", input: "{}" },
    ]);
    const next = await ask(wire, [...conversation, ...wire.after(answer, ["ok", "ok"])], more);
    expect(wire.said(next).text).toBe("end");
  });
});
