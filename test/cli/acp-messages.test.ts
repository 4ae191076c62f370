import { describe, expect, test } from "vitest";
import { boundedLines } from "../../src/cli/acp/bounded-lines.ts";
import { headOf } from "../../src/cli/acp/message-head.ts";

describe("the head of a message that is too long to be read", () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"x":"', { id: 7, kind: "request" }],
    [' { "method" : "session/prompt" , "id" : "a\\"b" , "params" : [', { id: 'a"b', kind: "request" }],
    ['{"jsonrpc":"2.0","id":7,"result":{"id":8,', { id: 7, kind: "response" }],
    ['{"jsonrpc":"2.0","id":7,"error":{"code":', { id: 7, kind: "response" }],
    ['{"jsonrpc":"2.0","method":"session/cancel","params":{"id":7,', { id: null, kind: "unknown" }],
    ['{"jsonrpc":"2.0","params":{"id":7,"method":"x",', { id: null, kind: "unknown" }],
    ['{"jsonrpc":"2.0","id":7,"params":{"x":', { id: null, kind: "unknown" }],
    ['{"jsonrpc":"2.0","id":null,"method":"x","params":{', { id: null, kind: "unknown" }],
    ['{"id":"\\x","method":"x",', { id: null, kind: "unknown" }],
    ['[{"id":7,"method":"x",', { id: null, kind: "unknown" }],
    ["AAAA", { id: null, kind: "unknown" }],
    ["", { id: null, kind: "unknown" }],
  ])("%s", (start, head) => {
    expect(headOf(Buffer.from(start))).toEqual(head);
  });
});

async function linesOf(
  chunks: readonly string[],
): Promise<{ readonly lines: string; readonly tooLong: readonly string[] }> {
  const tooLong: string[] = [];
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });
  const bounded = bytes.pipeThrough(
    boundedLines({
      maxBytes: 4,
      tooLong: async (start) => {
        tooLong.push(Buffer.from(start).toString());
        return start[0] === 0x52 ? Buffer.from("R!") : undefined;
      },
    }),
  );
  let lines = "";
  for await (const line of bounded) lines += Buffer.from(line).toString();
  return { lines, tooLong };
}

describe("lines with a bound", () => {
  test.each([
    [["ab\ncd\n"], "ab\ncd\n", []],
    [["a", "b\n", "\nc", "d"], "ab\n\ncd", []],
    [["1234\n12345\n1234"], "1234\n1234", ["12345"]],
    [["123", "45", "6789\nab\n"], "ab\n", ["12345"]],
    [["12345"], "", ["12345"]],
    [["R2345", "\nab\n"], "R!\nab\n", ["R2345"]],
  ])("%j", async (chunks, lines, tooLong) => {
    expect(await linesOf(chunks)).toEqual({ lines, tooLong });
  });
});
