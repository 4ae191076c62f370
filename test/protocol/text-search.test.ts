import { expect, it } from "vitest";
import { LIMITS, searchTerms } from "../../src/protocol/index.ts";

it.each([
  [
    "npm test",
    [
      ["npm", true],
      ["test", true],
    ],
  ],
  [
    '"connection refused" 8080',
    [
      ["connection refused", false],
      ["8080", true],
    ],
  ],
  ["src/store/open.ts", [["src store open ts", true]]],
  [
    "foo_bar --json",
    [
      ["foo bar", true],
      ["json", true],
    ],
  ],
  [
    'an "open quote',
    [
      ["an", true],
      ["open quote", false],
    ],
  ],
  [
    "größe 東京 * -",
    [
      ["größe", true],
      ["東京", true],
    ],
  ],
  [
    'NEAR(a b) OR "*"',
    [
      ["NEAR a", false],
      ["b", false],
      ["OR", true],
    ],
  ],
])("reads %j", (text, terms) => {
  expect(searchTerms(text).map(({ words, isPrefix }) => [words.join(" "), isPrefix])).toEqual(terms);
});

it.each(["", "   ", "-- ** !!", '""', "a ".repeat(LIMITS.searchWords + 1), "x".repeat(LIMITS.searchChars + 1)])(
  "refuses %j",
  (text) => {
    expect(() => searchTerms(text)).toThrow(expect.objectContaining({ code: "invalid_request" }) as Error);
  },
);
