import { describe, expect, test } from "vitest";
import { LIMITS, startToolItem, type Item } from "../../src/protocol/index.ts";
import { UnfinishedItems } from "../../src/sessions/core/unfinished-items.ts";

const message = (id: string, text = ""): Extract<Item, { text: string }> => ({
  id,
  type: "agent_message",
  status: "in_progress",
  text,
});
const call = (id: string, chars: number): Item =>
  startToolItem({ id, tool: "Bash", tool_use_id: id, input: { command: "x".repeat(chars) } });
const part = (item_id: string, chars: number): Parameters<UnfinishedItems["add"]>[0] => ({
  item_id,
  field: "text",
  delta: "x".repeat(chars),
});
const HALF = LIMITS.openTextChars / 2;

describe("what an engine has begun and not ended", () => {
  test.each<[string, (items: UnfinishedItems) => void]>([
    ["as many items as it may", (items) => many(items, LIMITS.openItems)],
    ["as much text as it may", (items) => items.add(part("a", LIMITS.openTextChars))],
    [
      "more text than that, but not at once",
      (items) => {
        for (let round = 0; round < 5; round += 1) {
          items.add(part("a", HALF));
          items.end(message("a", "x".repeat(HALF)));
        }
      },
    ],
    ["output of tools, which has bounds of its own", (items) => items.add({ ...part("a", 3 * HALF), field: "output" })],
    [
      "the same in another turn",
      (items) => {
        items.add(part("a", LIMITS.openTextChars));
        items.reset();
        items.add(part("b", LIMITS.openTextChars));
      },
    ],
  ])("may be %s", (_, begin) => {
    expect(() => begin(new UnfinishedItems())).not.toThrow();
  });

  test.each<[string, (items: UnfinishedItems) => void]>([
    ["more items", (items) => many(items, LIMITS.openItems + 1)],
    ["more text in one message", (items) => items.add(part("a", LIMITS.openTextChars + 1))],
    ["more text in many", (items) => [1, 2, 3].forEach((id) => items.add(part(`${id}`, HALF)))],
    ["longer inputs", (items) => [1, 2, 3].forEach((id) => items.begin(call(`${id}`, HALF)))],
    ["a whole message that is longer", (items) => items.end(message("a", "x".repeat(LIMITS.openTextChars + 1)))],
  ])("may not be %s", (_, begin) => {
    expect(() => begin(new UnfinishedItems())).toThrow(/^The turn was ended because its engine had more than/);
  });
});

function many(items: UnfinishedItems, count: number): void {
  for (let index = 0; index < count; index += 1) items.begin(message(`${index}`));
}
