import { deep, deepObject, long, MIB, repeat } from "./parts.mjs";

const open = (properties, type) =>
  `{"type":"event","event":${JSON.stringify({ type, properties: { sessionID: "ses_1", ...properties } })}}`;
const MESSAGE = "msg_zzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
const begun = open({ info: { id: MESSAGE, sessionID: "ses_1", role: "assistant", time: {} } }, "message.updated");
const part = (fields) => open({ part: { sessionID: "ses_1", messageID: MESSAGE, ...fields } }, "message.part.updated");

export const OPENCODE = {
  "a call with deeply nested input": function* ({ line }) {
    yield line(begun);
    yield line(
      `{"type":"event","event":{"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"messageID":"${MESSAGE}","id":"p","type":"tool","tool":"sallyport_Read","callID":"c","state":{"status":"running","input":${deepObject}}}}}}`,
    );
    yield line(
      `{"type":"mcp","id":1,"message":{"id":1,"method":"tools/call","params":{"name":"Read","arguments":${deepObject}}}}`,
    );
    yield line(`{"type":"mcp","id":2,"message":{"id":1,"method":${deep}}}`);
  },
  "ten thousand open calls, and none of them reported": function* ({ line }) {
    yield line(begun);
    yield* repeat(10_000, (index) =>
      line(
        `{"type":"mcp","id":${index},"message":{"id":${index},"method":"tools/call","params":{"name":"Read","arguments":{"file_path":"/${index}"}}}}`,
      ),
    );
    yield* repeat(2_000, (index) =>
      line(
        part({
          id: `p${index}`,
          type: "tool",
          tool: "sallyport_Read",
          callID: `c${index}`,
          state: { status: "running", input: { file_path: `x${index}` } },
        }),
      ),
    );
  },
  "ten thousand questions": function* ({ line }) {
    yield* repeat(10_000, (index) => line(open({ id: `q${index}`, tool: { callID: "nobody" } }, "permission.asked")));
  },
  "a hundred thousand beginnings": function* ({ line }) {
    yield* repeat(100, () => Array.from({ length: 1_000 }, () => line(open({}, "server.connected"))).join(""));
  },
  "figures that are none": function* ({ line }) {
    yield line(begun);
    for (const [index, figure] of [
      "1e308",
      "1e999",
      "-1",
      "0.5",
      '"7"',
      "null",
      "9007199254740993",
      "{}",
      "1e20",
    ].entries())
      yield line(
        `{"type":"event","event":{"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"messageID":"${MESSAGE}","id":"u${index}","type":"step-finish","tokens":{"input":${figure},"output":${figure},"reasoning":${figure},"cache":{"read":${figure},"write":${figure}}}}}}}`,
      );
  },
  "a million deltas": function* ({ line }) {
    yield line(begun);
    yield line(part({ id: "p", type: "text", text: "" }));
    const delta = open({ messageID: MESSAGE, partID: "p", field: "text", delta: "word " }, "message.part.delta");
    yield* repeat(200, () => Array.from({ length: 5_000 }, () => line(delta)).join(""));
  },
  "a hundred thousand parts": function* ({ line }) {
    yield line(begun);
    yield* repeat(100, (index) =>
      Array.from({ length: 1_000 }, (_, at) =>
        line(part({ id: `${index}-${at}`, type: "text", text: "word", time: { end: 1 } })),
      ).join(""),
    );
  },
  "long parts": function* ({ line }) {
    yield line(begun);
    yield* repeat(20, (index) => line(part({ id: `${index}`, type: "text", text: long(20 * MIB), time: { end: 1 } })));
  },
  "ends before beginnings, and twice": function* ({ line }) {
    const state = { status: "completed", input: {}, output: "x" };
    yield line(part({ id: "p", type: "tool", tool: "x", callID: "c", state }));
    yield line(begun);
    for (let index = 0; index < 3; index += 1)
      yield line(part({ id: "p", type: "tool", tool: "x", callID: "c", state }));
    yield line(part({ id: "t", type: "text", text: "x", time: { end: 1 } }));
    yield line(part({ id: "t", type: "text", text: "x", time: { end: 1 } }));
    yield line(open({ status: { type: "idle" } }, "session.status"));
    yield line(open({ status: { type: "idle" } }, "session.status"));
  },
};

export const voice = {
  // The relay puts what comes after `data:` into a line of its own, so that a program can write any line.
  line: (json) => (json.startsWith('{"') ? `data: 0,${json.slice(1, -1)}\n\n` : `data: ${json}\n\n`),
  question: (id) => `{"type":"mcp","id":1,"message":{"id":${id},"method":"ping"}}`,
  answer: (id) => `{"type":"response","id":${id},"status":200,"body":"{}"}`,
  messages: [
    ...[
      [
        "message.updated",
        {
          info: {
            id: "msg_zz",
            sessionID: "ses_1",
            role: "assistant",
            time: { completed: 1 },
            finish: "tool-calls",
            summary: false,
          },
        },
      ],
      ["message.updated", { info: { id: "msg_zzz", sessionID: "ses_1", role: "assistant", time: {}, summary: true } }],
      ["message.part.updated", { part: { id: "p", messageID: "msg_zz", type: "text", text: "Hi", time: { end: 1 } } }],
      [
        "message.part.updated",
        {
          part: {
            id: "q",
            messageID: "msg_zz",
            type: "reasoning",
            text: "Hm",
            metadata: { anthropic: { signature: "s" } },
          },
        },
      ],
      [
        "message.part.updated",
        {
          part: {
            id: "c",
            messageID: "msg_zz",
            type: "tool",
            tool: "bash",
            callID: "c",
            state: { status: "completed", input: { a: 1 }, output: "x" },
          },
        },
      ],
      [
        "message.part.updated",
        {
          part: {
            id: "u",
            messageID: "msg_zz",
            type: "step-finish",
            tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } },
          },
        },
      ],
      ["message.part.delta", { messageID: "msg_zz", partID: "p", field: "text", delta: "more" }],
      ["permission.asked", { id: "per_1", tool: { callID: "c" } }],
      ["session.status", { status: { type: "busy" } }],
    ].map(([type, properties]) => ({
      type: "event",
      event: { type, properties: { sessionID: "ses_1", ...properties } },
    })),
    {
      type: "mcp",
      id: 3,
      message: { id: 3, method: "tools/call", params: { name: "Read", arguments: { file_path: "/nowhere" } } },
    },
    { type: "response", id: 9_999, status: 200, body: "{}" },
    { type: "exit", code: 0, signal: null },
  ],
};
