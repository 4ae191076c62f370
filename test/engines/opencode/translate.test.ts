import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EngineEvent } from "../../../src/engines/index.ts";
import { restOutcome } from "../../../src/engines/opencode/outcome.ts";
import { OpenCodeTranslator } from "../../../src/engines/opencode/translate.ts";
import { readEvent, type OpenCodeError } from "../../../src/engines/opencode/wire.ts";
import { keyOf, record, text, type VendorFields } from "../../../src/engines/vendor/fields.ts";

const GOLDEN = join(import.meta.dirname, "golden");
const names = readdirSync(GOLDEN).flatMap((name) => /^(.*)\.jsonl$/.exec(name)?.[1] ?? []);

interface LateCall {
  readonly tool: string;
  readonly input: VendorFields;
  readonly text: string;
}

/** As a turn does it: a tool call is matched as soon as the message with it is there, run, and the turn ends when OpenCode rests. */
function replay([prompt, ...lines]: readonly VendorFields[]): readonly EngineEvent[] {
  let ids = 0;
  const translator = new OpenCodeTranslator({
    session: text(prompt?.["session"]) ?? "",
    newId: (prefix) => `${prefix}_${(ids += 1)}`,
    now: () => 1_000,
    toolName: (called) => called.replace(/^sallyport_/, ""),
  });
  translator.prompted(text(prompt?.["id"]) ?? "");
  const events: EngineEvent[] = [];
  const late: LateCall[] = [];
  let failure: OpenCodeError | undefined;
  for (const line of lines) {
    if (line["type"] === "ran")
      late.push({ tool: text(line["tool"]) ?? "", input: record(line["input"]), text: text(line["text"]) ?? "" });
    const event = readEvent(line);
    events.push(...translator.take(event));
    for (const call of late.splice(0)) {
      const item = translator.claim(call.tool, keyOf(call.input));
      if (item === undefined) {
        late.push(call);
        continue;
      }
      const id = item.tool_use_id ?? "";
      events.push(...translator.decided(id, { effect: "allow", input: item.input }));
      const content = [{ type: "text" as const, text: call.text }];
      events.push(...translator.ran(id, { content, is_error: false }, { stopping: false }));
    }
    if (event.type === "failed") failure = event.error;
    if (event.type !== "idle") continue;
    const context = { cut: translator.deadStreams > 0, refusal: undefined, structured: false };
    const outcome = restOutcome(translator.last, failure, context);
    events.push(...translator.close(outcome.type === "completed" ? "completed" : "interrupted"));
    if (outcome.type === "completed") events.push({ ...outcome, type: "turn.completed" });
    if (outcome.type === "failed") events.push({ type: "turn.failed", error: outcome.error });
    break;
  }
  return events;
}

function lines(name: string): readonly VendorFields[] {
  return readFileSync(join(GOLDEN, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
}

describe("recorded traffic of OpenCode 1.18.33", () => {
  test.each(names)("%s", async (name) => {
    const told = replay(lines(name)).map((event) => JSON.stringify(event));
    await expect(`${told.join("\n")}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.events`));
  });

  test("repeated text is reported once", () => {
    const all = lines("call");
    const doubled = all.flatMap((line, index) => (index === 0 || line["type"] === "ran" ? [line] : [line, line]));
    const withoutDeltas = (events: readonly EngineEvent[]): readonly EngineEvent[] =>
      events.filter(({ type }) => type !== "item.delta");
    expect(withoutDeltas(replay(doubled)).map(({ type }) => type)).toEqual(
      withoutDeltas(replay(all)).map(({ type }) => type),
    );
  });
});
