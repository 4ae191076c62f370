import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRecord } from "../../src/imports/index.ts";
import { ImportedConversation, LIMITS } from "../../src/protocol/index.ts";

/** What the real programs (Claude Code 2.1.325, Codex 0.166.0) wrote down of a conversation with the scripted model. */
const golden = (name: string): string => readFileSync(new URL(`golden/${name}.jsonl`, import.meta.url), "utf8");
const lines = (...values: readonly object[]): string => values.map((value) => JSON.stringify(value)).join("\n");
const user = (content: unknown, more: object = {}): object => ({ type: "user", message: { content }, ...more });
const assistant = (content: unknown, more: object = {}): object => ({
  type: "assistant",
  message: { content },
  ...more,
});

/** Without the part that scripted the model. */
const plain = (text: string): string => text.split("\nsim:")[0] ?? "";

describe("a record of Claude Code", () => {
  it("becomes turns with words and calls", () => {
    const found = readRecord(golden("claude-code"));
    expect(ImportedConversation.safeParse(found?.conversation).success).toBe(true);
    expect(found).toMatchObject({
      workspace: "/home/me/app",
      left_out: [],
      conversation: { source: "claude-code", source_id: expect.stringMatching(/^[\da-f-]{36}$/) as string },
    });
    expect(found?.conversation.turns.map(({ prompt, items }) => ({ prompt: plain(prompt), items }))).toEqual([
      {
        prompt: "Read a.txt and count its lines.",
        items: [
          { type: "message", text: "I look." },
          { type: "tool", tool: "Read", input: { file_path: "/home/me/app/a.txt" }, output: "1\thello\n2\t" },
          { type: "tool", tool: "Bash", input: { command: "wc -l a.txt" }, output: "1 a.txt" },
          { type: "message", text: "It has one line." },
        ],
      },
      {
        prompt: "And now?",
        items: [
          {
            type: "tool",
            tool: "Read",
            input: { file_path: "/home/me/app/missing.txt" },
            output: "File does not exist. Note: your current working directory is /home/me/app.",
            is_error: true,
          },
          { type: "message", text: "It is not there." },
        ],
      },
    ]);
  });

  it("has no words of the program or of sub-agents, and slash commands as they were typed", () => {
    const found = readRecord(
      lines(
        user(
          "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>src</command-args>",
        ),
        assistant([
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "Fine." },
        ]),
        user("Caveat: said by the program", { isMeta: true }),
        user("<local-command-stdout>ok</local-command-stdout>"),
        assistant([{ type: "text", text: "inside" }], { isSidechain: true }),
        user([
          { type: "text", text: "And this picture?" },
          { type: "image", source: {} },
        ]),
      ),
    );
    expect(found?.conversation.turns).toEqual([
      {
        prompt: "/review src",
        items: [
          { type: "thought", text: "Hm." },
          { type: "message", text: "Fine." },
        ],
      },
      { prompt: "And this picture?", items: [] },
    ]);
  });

  it("keeps a call that never ended, without an output", () => {
    const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } };
    const found = readRecord(lines(user("go"), assistant([call])));
    expect(found?.conversation.turns[0]?.items).toEqual([{ type: "tool", tool: "Bash", input: { command: "ls" } }]);
  });
});

describe("a record of Codex", () => {
  it("becomes turns, each prompt once, without what Codex says itself", () => {
    const found = readRecord(golden("codex"));
    expect(found).toMatchObject({ workspace: "/home/me/app", conversation: { source: "codex" } });
    expect(found?.conversation.turns.map(({ prompt, items }) => ({ prompt: plain(prompt), items }))).toEqual([
      {
        prompt: "List the files.",
        items: [
          { type: "message", text: "I list them." },
          {
            type: "tool",
            tool: "exec_command",
            input: { cmd: "ls" },
            output: expect.stringContaining("Process exited with code 0") as string,
          },
          { type: "message", text: "There is a.txt." },
        ],
      },
    ]);
  });

  it("reads the shapes of older versions too", () => {
    const item = (payload: object): object => ({ type: "response_item", payload });
    const found = readRecord(
      lines(
        { type: "event_msg", payload: { type: "user_message", message: "hi" } },
        item({ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }),
        item({ type: "reasoning", summary: [{ type: "summary_text", text: "A thought." }] }),
        item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch", call_id: "c1" }),
        item({ type: "custom_tool_call_output", call_id: "c1", output: '{"output":"Success.","metadata":{}}' }),
        item({ type: "local_shell_call", call_id: "c2", action: { command: ["ls"] } }),
        item({ type: "function_call_output", call_id: "c2", output: { content: "a.txt" } }),
      ),
    );
    expect(found?.conversation.turns).toEqual([
      {
        prompt: "hi",
        items: [
          { type: "thought", text: "A thought." },
          { type: "tool", tool: "apply_patch", input: { input: "*** Begin Patch" }, output: "Success." },
          { type: "tool", tool: "shell", input: { command: ["ls"] }, output: "a.txt" },
        ],
      },
    ]);
  });
});

describe("what is no such record", () => {
  it.each([
    ["nothing", ""],
    ["no JSON", "hello\nworld"],
    ["JSON of something else", '{"type":"user"}\n[1]\nnull\n"x"'],
    ["a record without a prompt", lines(assistant([{ type: "text", text: "hello" }]))],
  ])("%s", (_what, text) => {
    expect(readRecord(text)).toBeUndefined();
  });

  it("says which lines it could not read", () => {
    expect(readRecord(`${lines(user("hi"))}\n{"type":"us`)?.left_out).toEqual(["1 lines that are no JSON"]);
  });

  it("leaves the oldest turns out of a conversation that is too long, and says so", () => {
    const big = "x".repeat(LIMITS.importOutputChars);
    const talk = Array.from({ length: 100 }, (_, index) => [
      user(`prompt ${index}`),
      assistant([{ type: "text", text: big }]),
    ]);
    const found = readRecord(lines(...talk.flat()));
    expect(JSON.stringify(found?.conversation).length).toBeLessThan(LIMITS.importChars + 1_000);
    expect(found?.conversation.turns.at(-1)?.prompt).toBe("prompt 99");
    expect(found?.left_out).toEqual([expect.stringMatching(/^the oldest \d+ of 100 turns/) as string]);
  });
});
