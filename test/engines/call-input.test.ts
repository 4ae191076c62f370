import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCallInput } from "../../src/engines/loop/call-input.ts";

describe("the input of a call", () => {
  test.each([
    ["as it should be", '{"a":1,"b":"x"}', { a: 1, b: "x" }],
    ["with a line break and a tab in a text", '{"content":"one\ntwo\tthree"}', { content: "one\ntwo\tthree" }],
    ["with a comma too many", '{"a":[1,2,],"b":"x, ]",}', { a: [1, 2], b: "x, ]" }],
    ["with Python's constants", '{"a":True,"b":[False,None],"c":"True"}', { a: true, b: [false, null], c: "True" }],
    ["in a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["as JSON in a text", JSON.stringify('{"a":1}'), { a: 1 }],
    ["as nothing", "null", {}],
  ])("%s", (_how, text, input) => {
    expect(readCallInput(text)).toEqual({ input });
  });

  test.each([
    ["cut off", '{"command":"rm -rf /tmp/a'],
    ["cut off behind a value", '{"command":"rm -rf /tmp/a"'],
    ["twice", '{"command":"ls"}{"command":"ls -a"}'],
    ["with words around it", 'I call it with {"command":"ls"}'],
    ["in single quotes", "{'command':'ls'}"],
    ["without quotes", '{command:"ls"}'],
    ["with a text that ends early", '{"command":"echo "a""}'],
    ["with an unknown constant", '{"a":undefined}'],
    ["empty", ""],
  ])("%s is not guessed", (_how, text) => {
    expect(readCallInput(text)).toEqual({ problem: expect.stringMatching(/^is not valid JSON \(.+\)$/) });
  });

  test.each([
    ["[1]", "is a list, not a JSON object"],
    ["7", "is a number, not a JSON object"],
    ['"[1]"', "is a list, not a JSON object"],
    ['"ls"', "is a text, not a JSON object"],
  ])("%s: %s", (text, problem) => {
    expect(readCallInput(text)).toEqual({ problem });
  });

  test("what is JSON is never changed, and no part of it is ever taken for the whole", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(readCallInput(text)).toEqual({ input: JSON.parse(text) as unknown });
        expect(readCallInput(text.slice(0, cut % text.length)).input).toBeUndefined();
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
