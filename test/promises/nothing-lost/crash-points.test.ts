import { describe, expect, it } from "vitest";
import { CHECKPOINTS } from "../../../src/sessions/index.ts";
import { broken, live } from "../../support/life.ts";
import { sample } from "../../support/sample.ts";

/** Later times matter too: the first tool is a harmless read, the next ones write, the last ones are of sub-agents. */
const LATER = [
  "tool.running:2",
  "tool.ran:2",
  "tool.marked:2",
  "tool.result_decided:2",
  "tool.result_durable:3",
  "approval.durable:2",
  "answer.durable:3",
  "model.message_ended:3",
  "tool.marked:4",
  "tool.marked:5",
  "tool.running:5",
  "tool.running:7",
  "tool.ran:5",
  "tool.result_decided:5",
  "tool.result_durable:5",
  "approval.durable:6",
  "answer.durable:6",
  "model.message_ended:6",
] as const;

/** Of all points, those that an everyday run kills at. */
const EVERYDAY = 14;

describe("the server is killed at every named point of a turn and of an approval's life", () => {
  const points = sample([...CHECKPOINTS, ...LATER], EVERYDAY);
  it.each(points.map((point) => ({ point })))("$point", async ({ point }) => {
    const lived = await live({ starts: (start) => (start === 0 ? { SALLYPORT_CRASH_AT: point } : {}) });
    expect({ faults: broken(lived), kills: lived.kills }).toEqual({ faults: [], kills: 1 });
  });
});
