import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endOf, errorOf } from "../../../src/engines/codex/outcome.ts";
import { CodexTranslator } from "../../../src/engines/codex/translate.ts";
import { readNotice, readQuestion, type CodexNotice } from "../../../src/engines/codex/wire.ts";
import type { EngineEvent } from "../../../src/engines/index.ts";
import { record, text, type VendorFields } from "../../../src/engines/vendor/fields.ts";

const GOLDEN = join(import.meta.dirname, "golden");
const names = readdirSync(GOLDEN).flatMap((name) => /^(.*)\.jsonl$/.exec(name)?.[1] ?? []);

/** What is told, and the calls that Codex waits for between. */
function replay(lines: readonly VendorFields[]): readonly object[] {
  let ids = 0;
  const translator = new CodexTranslator((prefix) => `${prefix}_${(ids += 1)}`);
  return lines.flatMap((line): readonly object[] => {
    const method = text(line["method"]) ?? "";
    const params = record(line["params"]);
    if ("id" in line) return [readQuestion(method, params)];
    const notice = readNotice(method, params);
    return [...translator.take(notice), ...(notice.type === "turn_ended" ? ending(translator, notice) : [])];
  });
}

/** As a turn ends that is not tried again. */
function ending(
  translator: CodexTranslator,
  { status, error }: Extract<CodexNotice, { type: "turn_ended" }>,
): readonly EngineEvent[] {
  if (error === undefined) {
    const isDone = status === "completed";
    const end: EngineEvent = isDone
      ? { type: "turn.completed", stop_reason: "end_turn" }
      : { type: "turn.failed", error: { code: "aborted", message: "aborted" } };
    return [...translator.close(isDone ? "completed" : "interrupted"), end];
  }
  const outcome = endOf(error, undefined);
  const detail = outcome.decision === "stopped" ? outcome.error : errorOf(outcome, 1);
  return [...translator.close("interrupted"), { type: "turn.failed", error: detail }];
}

function linesOf(name: string): readonly VendorFields[] {
  return readFileSync(join(GOLDEN, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
}

describe("recorded traffic of Codex 0.166.0", () => {
  test.each(names)("%s", async (name) => {
    const told = replay(linesOf(name)).map((event) => JSON.stringify(event));
    await expect(`${told.join("\n")}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.events`));
  });

  test.each(names)("%s leaves nothing open, and ends once", (name) => {
    const events = replay(linesOf(name)).filter((event): event is EngineEvent => !("call_id" in event));
    const open = new Set<string>();
    for (const event of events) {
      if (event.type === "item.started") open.add(event.item.id);
      if (event.type === "item.completed") expect(open.delete(event.item.id)).toBe(true);
      if (event.type === "item.delta") expect(open.has(event.item_id)).toBe(true);
    }
    expect([...open]).toEqual([]);
    const ends = events.filter(({ type }) => type === "turn.completed" || type === "turn.failed");
    expect(ends).toEqual([events.at(-1)]);
  });

  test.each(names)("%s stays whole when messages of kinds nobody knows come between", (name) => {
    const strange: readonly VendorFields[] = [
      { method: "weather/changed", params: { sunny: true } },
      { method: "item/completed", params: { item: { type: "fromTheFuture", id: "x" } } },
      { method: "item/agentMessage/delta", params: {} },
      { method: "item/reasoning/summaryPartAdded" },
    ];
    const mixed = linesOf(name).flatMap((line) => strange.concat(line));
    expect(replay(mixed)).toEqual(replay(linesOf(name)));
  });
});

describe("what Codex asks for by itself", () => {
  test.each([
    ["item/commandExecution/requestApproval", { decision: "decline" }],
    ["item/fileChange/requestApproval", { decision: "decline" }],
    ["execCommandApproval", { decision: "denied" }],
    ["applyPatchApproval", { decision: "denied" }],
  ])("%s is refused", (method, answer) => {
    expect(readQuestion(method, { command: "touch x" })).toEqual({ type: "own_action", method, answer });
  });

  test("what nobody knows is said to be unknown", () => {
    expect(readQuestion("item/permissions/requestApproval", {})).toEqual({
      type: "unknown",
      method: "item/permissions/requestApproval",
    });
  });
});
