import { deep, deepObject, long, MIB, ODD, repeat } from "./parts.mjs";

const acpUpdate = (update) =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });
const acpAsk = (id, method, params) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

export const ACP = {
  "a call with deeply nested input": function* ({ line }) {
    yield line(
      `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"d","rawInput":${deepObject},"status":"pending"}}}`,
    );
    yield line(
      acpAsk(1, "session/request_permission", `{"toolCall":{"toolCallId":"e","rawInput":${deepObject}},"options":[]}`),
    );
    yield line(
      `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"d","status":"completed","rawOutput":${deepObject}}}}`,
    );
    yield line(`{"sallyport":"tools","channel":1,"line":${JSON.stringify(`{"id":${deep},"method":"ping"}`)}}`);
  },
  "ids that are no texts": function* ({ line }) {
    for (const odd of ODD)
      for (const method of ["output", "wait_for_exit", "kill", "release"])
        yield line(acpAsk(7, `terminal/${method}`, `{"sessionId":"s","terminalId":${odd}}`));
    for (const odd of ODD)
      yield line(
        acpAsk(
          8,
          "terminal/create",
          `{"sessionId":"s","command":"true","args":[${odd}],"env":[{"name":"A","value":${odd}}]}`,
        ),
      );
  },
  "lines of tool servers that nobody has": function* ({ line }) {
    for (const odd of ODD) yield line(`{"sallyport":"tools","channel":${odd},"line":${odd},"closed":${odd}}`);
    yield* repeat(10_000, (index) =>
      line(JSON.stringify({ sallyport: "tools", channel: index, line: '{"id":1,"method":"ping"}' })),
    );
  },
  "a million deltas": function* ({ line }) {
    yield* repeat(200, () =>
      Array.from({ length: 5_000 }, () =>
        line(acpUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "word " } })),
      ).join(""),
    );
  },
  "a hundred thousand messages": function* ({ line }) {
    yield* repeat(100, (index) =>
      Array.from({ length: 1_000 }, (_, at) =>
        line(
          acpUpdate({
            sessionUpdate: "agent_message_chunk",
            messageId: `${index}-${at}`,
            content: { type: "text", text: "word " },
          }),
        ),
      ).join(""),
    );
  },
  "long deltas": function* ({ line }) {
    yield* repeat(20, (index) =>
      line(
        acpUpdate({
          sessionUpdate: "agent_message_chunk",
          messageId: `${index}`,
          content: { type: "text", text: long(20 * MIB) },
        }),
      ),
    );
  },
  "long calls": function* ({ line }) {
    yield* repeat(20, (index) =>
      line(
        acpUpdate({
          sessionUpdate: "tool_call",
          toolCallId: `c${index}`,
          title: long(20 * MIB),
          rawInput: { a: "b" },
          status: "pending",
        }),
      ),
    );
  },
  "ends before beginnings, and twice": function* ({ line }) {
    for (const status of ["completed", "failed", "completed"])
      yield line(acpUpdate({ sessionUpdate: "tool_call_update", toolCallId: "c", status }));
    yield line(
      acpUpdate({ sessionUpdate: "tool_call", toolCallId: "c", status: "pending", rawInput: { command: "true" } }),
    );
  },
};

export const voice = {
  line: (json) => `${json}\n`,
  question: (id) => `{"jsonrpc":"2.0","id":${id},"method":"no/such/method","params":{}}`,
  answer: (id) => `{"jsonrpc":"2.0","id":${id},"result":{"sessionId":"other"}}`,
  messages: [
    ...[
      { sessionUpdate: "agent_message_chunk", messageId: "m", content: { type: "text", text: "Hello" } },
      { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm" } },
      {
        sessionUpdate: "tool_call",
        toolCallId: "c",
        kind: "read",
        title: "t",
        status: "pending",
        rawInput: { file_path: "/x" },
        content: [{ type: "diff", path: "/x", oldText: "a", newText: "b" }],
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "out" } }],
        rawOutput: { exitCode: 1, metadata: { exit: 2 } },
      },
      { sessionUpdate: "plan", entries: [{ content: "x", status: "pending" }] },
    ].map((update) => ({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } })),
    {
      jsonrpc: "2.0",
      id: 4,
      method: "fs/read_text_file",
      params: { sessionId: "s", path: "/nowhere", line: 1, limit: 2 },
    },
    { jsonrpc: "2.0", id: 5, method: "terminal/output", params: { sessionId: "s", terminalId: "t" } },
    { jsonrpc: "2.0", id: 6, method: "terminal/kill", params: { sessionId: "s", terminalId: "t" } },
    { sallyport: "tools", channel: 1, line: '{"jsonrpc":"2.0","id":1,"method":"ping"}', closed: false },
  ],
};
