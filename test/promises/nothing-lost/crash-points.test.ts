import { describe, expect, it } from "vitest";
import { CHECKPOINTS } from "../../../src/sessions/index.ts";
import { broken, live } from "../../support/life.ts";

describe("the server is killed at every named point of a turn and of an approval's life", () => {
  it.each(CHECKPOINTS.map((point) => ({ point })))("$point", { timeout: 60_000 }, async ({ point }) => {
    const lived = await live({ starts: (start) => (start === 0 ? { SALLYPORT_CRASH_AT: point } : {}) });
    expect({ faults: broken(lived), kills: lived.kills }).toEqual({ faults: [], kills: 1 });
  });
});
