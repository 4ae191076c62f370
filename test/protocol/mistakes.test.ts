import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allMistakes, mistakeText } from "../../src/protocol/index.ts";

const Form = z.strictObject({
  name: z.string().min(1).max(3),
  code: z.string().min(2).optional(),
  count: z.number().int().min(2).max(5).optional(),
  share: z.number().gt(0).lt(1).optional(),
  tags: z.array(z.string()).min(1).max(1).optional(),
  kind: z.enum(["a", "b"]).optional(),
  fixed: z.literal("x").optional(),
  place: z.url().optional(),
  at: z.iso.datetime().optional(),
  short: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  own: z.string().regex(/^a/, "must begin with a").optional(),
  either: z.union([z.string().max(1), z.object({ deep: z.number() })]).optional(),
});

describe("mistakes in words", () => {
  it.each<[object, string]>([
    [{}, "name: is missing"],
    [{ name: 7 }, "name: must be text"],
    [{ name: "" }, "name: is empty"],
    [{ name: "abcd" }, "name: must have at most 3 characters"],
    [{ name: "a", code: "b" }, "code: must have at least 2 characters"],
    [{ name: "a", count: "3" }, "count: must be a number"],
    [{ name: "a", count: 2.5 }, "count: must be a whole number"],
    [{ name: "a", count: 1 }, "count: must be at least 2"],
    [{ name: "a", count: 6 }, "count: must be at most 5"],
    [{ name: "a", share: 0 }, "share: must be more than 0"],
    [{ name: "a", share: 1 }, "share: must be less than 1"],
    [{ name: "a", tags: [] }, "tags: is empty"],
    [{ name: "a", tags: ["a", "b"] }, "tags: must have at most 1 entry"],
    [{ name: "a", tags: "a" }, "tags: must be a list"],
    [{ name: "a", kind: "c" }, "kind: must be one of: a, b"],
    [{ name: "a", fixed: "y" }, "fixed: must be x"],
    [{ name: "a", place: "nowhere" }, "place: must be an address such as https://example.org"],
    [{ name: "a", at: "soon" }, "at: must be a time such as 2027-01-04T09:00:00Z"],
    [{ name: "a", short: "A" }, "short: must match /^[a-z]+$/"],
    [{ name: "a", own: "b" }, "own: must begin with a"],
    [{ name: "a", either: { deep: "x" } }, "either: deep: must be a number"],
    [{ name: "a", either: 5 }, "either: must be text, or must be an object"],
    [{ name: "a", nam: 1 }, "nam: is not a setting; did you mean name?"],
  ])("%j", (value, words) => {
    expect(mistakeText(allMistakes(Form, value))).toBe(words);
  });
});
