import { describe, expect, it } from "vitest";
import { crash, crashesOf } from "../../support/crashes.ts";
import { sample } from "../../support/sample.ts";

/** Of all points, those that an everyday run kills at. `npm run soak` has all, for every engine. */
const EVERYDAY = 4;

describe("the server is killed at every named point of a turn and of an approval's life", () => {
  it.each(sample(crashesOf("loop"), EVERYDAY).map((point) => ({ point })))("$point", async ({ point }) => {
    const { faults } = await crash({ engine: "loop", point });
    expect(faults).toEqual([]);
  });
});
