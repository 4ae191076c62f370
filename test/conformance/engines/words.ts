import { expect } from "vitest";
import type { Attachment } from "../../../src/protocol/index.ts";
import { blocksOf } from "./model.ts";
import { NO, YES, type Scenario } from "./scenario.ts";

const streaming: Scenario = {
  name: "text comes while it is written",
  shows: "streaming",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ stream: { tokens: 60, per_second: 200 } }]);
    const [message] = turn.items;
    expect(turn.end).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
    expect(turn.items).toMatchObject([{ type: "agent_message", status: "completed" }]);
    const completed = turn.frames.findIndex((frame) => frame.type === "item.completed");
    const deltas = turn.frames
      .slice(0, completed)
      .flatMap((frame) => (frame.type === "item.delta" && frame.item_id === message?.id ? [frame.delta] : []));
    // Not all at once, and together exactly what the item says in the end.
    return deltas.length > 1 && message?.type === "agent_message" && deltas.join("") === message.text ? YES : NO;
  },
};

const thinking: Scenario = {
  name: "thoughts are items of their own",
  shows: "thinking",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ think: "I ponder." }, { say: "I have pondered." }]);
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.items.at(-1)).toMatchObject({ type: "agent_message", text: "I have pondered." });
    return turn.items.some((item) => item.type === "reasoning" && item.text === "I ponder.") ? YES : NO;
  },
};

/** One red dot. */
const PICTURE: Attachment = {
  type: "image",
  media_type: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  name: "dot.png",
};

const images: Scenario = {
  name: "the model sees an attached image",
  shows: "images",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ say: "A dot." }], { attachments: [PICTURE] });
    if (turn.end.type === "turn.failed" && turn.end.error.code === "unsupported") return NO;
    expect(turn.end.type).toBe("turn.completed");
    const sent = turn.requests.flatMap(blocksOf).filter(({ type }) => type === "image");
    return sent.some(({ source }) => source?.data === PICTURE.data) ? YES : NO;
  },
};

const LONG = 4_000;

const long: Scenario = {
  name: "a long answer is kept whole",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ stream: { tokens: LONG } }]);
    expect(turn.end.type).toBe("turn.completed");
    const [message] = turn.items;
    const words = message?.type === "agent_message" ? message.text.split(/\s+/).length : 0;
    expect(words).toBeGreaterThan(LONG * 0.9);
    return YES;
  },
};

export const WORDS: readonly Scenario[] = [streaming, thinking, images, long];
