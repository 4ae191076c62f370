import { describe, expect, it } from "vitest";
import { VendorTranslator } from "../../src/engines/claude/translate.ts";
import { readMessage } from "../../src/engines/claude/wire.ts";
import type { EventBody } from "../../src/protocol/index.ts";
import { begun, done, journal, opened, rowsOf } from "./bridge-journal.ts";

/** Document 002's input, with what it abridges filled in by as little as the program sends. */
const input = [
  `{"type":"system","subtype":"init","cwd":"/repo","session_id":"5c0d3cff-...","tools":["Grep"],"model":"claude-sonnet"}`,
  `{"type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"I'll search ..."}],"usage":{"input_tokens":1}}}`,
  `{"type":"assistant","message":{"id":"msg_1","content":[{"type":"tool_use","id":"toolu_...","name":"Grep","input":{"pattern":"x"}}]}}`,
  String.raw`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_...","content":"Found 6 files\n..."}]}}`,
  `{"type":"something","new":true}`,
  `{"type":"assistant","message":{"id":"msg_2","content":[{"type":"text","text":"Perfect! I found ..."}],"usage":{"input_tokens":1}}}`,
  `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"Perfect! I found ...","usage":{"input_tokens":6,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":9}}`,
];

/** What a session journals of these lines: every call is asked about before it runs, and here it is allowed. */
function journaled(lines: readonly string[]): readonly EventBody[] {
  let ids = 0;
  const translator = new VendorTranslator({ idFor: (prefix) => `${prefix}_${(ids += 1)}`, now: () => 0 });
  return lines.flatMap((line) => {
    const said = readMessage(JSON.parse(line));
    const told = [...translator.take(said)];
    for (const block of said.type === "assistant" ? said.blocks : []) {
      if (block.type !== "tool_use") continue;
      told.push(...translator.begin({ tool_use_id: block.id, tool: block.name, input: block.input }).events);
      translator.decided(block.id, { effect: "allow", input: block.input });
    }
    return told.flatMap((event): readonly EventBody[] =>
      event.type === "item.started" || event.type === "item.completed" ? [event] : [],
    );
  });
}

describe("Claude's stream in, document 002's rows out", () => {
  it("is the document's example", () => {
    const rows = rowsOf("compat", journal(...opened, begun(), ...journaled(input), done()));
    expect(rows.map((row) => JSON.stringify(row))).toEqual([
      `{"type":"thread.started","thread_id":"5c0d3cff-..."}`,
      `{"type":"turn.started"}`,
      `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I'll search ..."}}`,
      `{"type":"item.started","item":{"id":"toolu_...","type":"command_execution","command":"Grep","aggregated_output":"","status":"in_progress"}}`,
      String.raw`{"type":"item.completed","item":{"id":"toolu_...","type":"command_execution","command":"Grep","aggregated_output":"Found 6 files\n...","exit_code":0,"status":"completed"}}`,
      `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Perfect! I found ..."}}`,
      `{"type":"turn.completed","usage":{"input_tokens":240,"cached_input_tokens":200,"output_tokens":7}}`,
    ]);
  });
});
