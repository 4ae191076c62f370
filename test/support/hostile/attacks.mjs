// What a program may say instead of its protocol, to end the server or to fill its memory. Each attack is a generator of texts that are
// written as they are; `say` of the program that plays makes a line of a message. `voice` differs by the program's protocol.

const DEEP = 200_000;
const deep = `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`;
const deepObject = `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`;
const long = (bytes) => "x".repeat(bytes);
const MIB = 1_048_576;

function* repeat(count, make) {
  for (let index = 0; index < count; index += 1) yield make(index);
}

/** Values of each type, and some that look like something else. */
const ODD = [
  "null",
  "true",
  "0",
  "-1",
  "1e308",
  "1e999",
  "0.5",
  '""',
  '"x"',
  '"\\ud83d"',
  '"\\udc00x"',
  '"__proto__"',
  '"constructor"',
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":2}',
  '{"length":1e9}',
  '{"then":1}',
  `"${"y".repeat(5_000)}"`,
];

/** Deterministic: the same seed gives the same figures. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A message as JSON text with some of its values replaced. */
function bent(message, roll) {
  const walk = (value) => {
    if (roll(6) === 0) return ODD[roll(ODD.length)];
    if (Array.isArray(value)) return `[${value.map(walk).join(",")}]`;
    if (typeof value === "object" && value !== null) {
      const fields = Object.entries(value).filter(() => roll(12) !== 0);
      const doubled = roll(12) === 0 && fields.length > 0 ? [...fields, fields[0]] : fields;
      return `{${doubled.map(([name, inner]) => `${JSON.stringify(name)}:${walk(inner)}`).join(",")}}`;
    }
    return JSON.stringify(value);
  };
  return `{${Object.entries(message)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${name === "method" || name === "type" || name === "jsonrpc" ? JSON.stringify(value) : walk(value)}`,
    )
    .join(",")}}`;
}

/** For every protocol. `messages`: one of each kind. `question`: a request of the program, as JSON text, with an id as JSON text. */
const COMMON = {
  "nothing odd": function* () {},
  "junk between the lines": function* ({ line }) {
    for (const text of ["}{", "null", "[]", "1", '"x"', "{", '{"a":', "\u0000\u0001", "{}", '{"id":{}}', "\ufeff{}"])
      yield line(text);
  },
  "messages whose fields have other types": function* ({ line, messages }) {
    const roll = dice(20_261_119);
    for (let round = 0; round < 3_000; round += 1) for (const message of messages) yield line(bent(message, roll));
  },
  "a question with a deeply nested id": function* ({ line, question }) {
    yield line(question(deep));
    yield line(question(deepObject));
  },
  "questions with long ids, and nobody reads the answers": function* ({ line, question, deafen }) {
    deafen();
    yield* repeat(12, () => line(question(`"${long(16 * MIB)}"`)));
  },
  "a million questions, and nobody reads the answers": function* ({ line, question, deafen }) {
    deafen();
    yield* repeat(200, (index) =>
      Array.from({ length: 5_000 }, (_, at) => line(question(String(index * 5_000 + at)))).join(""),
    );
  },
  "answers to nobody": function* ({ line, answer }) {
    for (const id of ["0", "-1", "1e999", "null", '"1"', "{}", "[1]", "1", "1", "2"]) yield line(answer(id));
  },
};

const codexCall = (id, call, input, tool = "Read") =>
  `{"id":${id},"method":"item/tool/call","params":{"threadId":"thread","turnId":"turn","callId":${JSON.stringify(call)},"tool":${JSON.stringify(tool)},"arguments":${input}}}`;
const codexTell = (method, params) => JSON.stringify({ method, params: { turnId: "turn", ...params } });
const codexEnd = (error) =>
  JSON.stringify({ method: "turn/completed", params: { turn: { id: "turn", status: "failed", error } } });

const CODEX = {
  "a call with deeply nested input": function* ({ line }) {
    yield line(codexCall(1, "deep", `{"file_path":${deep}}`));
    yield line(codexCall(2, "deeper", deepObject));
  },
  "ten thousand open calls": function* ({ line }) {
    yield* repeat(10_000, (index) => line(codexCall(index, `call${index}`, '{"command":"true"}', "Bash")));
  },
  "one call ten thousand times": function* ({ line }) {
    yield* repeat(10_000, (index) => line(codexCall(index, "call", '{"file_path":"/x"}')));
  },
  "figures that are none": function* ({ line }) {
    for (const figure of ["1e308", "1e999", "-1", "0.5", '"7"', "null", "9007199254740993", "{}", "1e20"])
      yield line(
        `{"method":"thread/tokenUsage/updated","params":{"turnId":"turn","tokenUsage":{"last":{"inputTokens":${figure},"cachedInputTokens":${figure},"outputTokens":${figure},"reasoningOutputTokens":${figure}}}}}`,
      );
  },
  "half characters": function* ({ line }) {
    for (const half of ["\\ud83d", "\\ude00"]) {
      yield line(
        `{"method":"item/agentMessage/delta","params":{"turnId":"turn","itemId":"m${half}","delta":"${half}"}}`,
      );
      yield line(
        `{"method":"item/completed","params":{"turnId":"turn","item":{"type":"agentMessage","id":"n","text":"${half}"}}}`,
      );
      yield line(`{"method":"warning","params":{"message":"${half}"}}`);
      yield line(codexCall(3, `c${half}`, `{"file_path":"${half}"}`.replaceAll("\\\\", "\\"), "Read"));
    }
  },
  "a million deltas": function* ({ line }) {
    yield* repeat(200, () =>
      Array.from({ length: 5_000 }, () =>
        line(codexTell("item/agentMessage/delta", { itemId: "m", delta: "word " })),
      ).join(""),
    );
  },
  "a hundred thousand messages that never end": function* ({ line }) {
    yield* repeat(100, (index) =>
      Array.from({ length: 1_000 }, (_, at) =>
        line(codexTell("item/agentMessage/delta", { itemId: `m${index}-${at}`, delta: "word " })),
      ).join(""),
    );
  },
  "long deltas": function* ({ line }) {
    yield* repeat(20, (index) =>
      line(codexTell("item/agentMessage/delta", { itemId: `m${index}`, delta: long(20 * MIB) })),
    );
  },
  "long warnings": function* ({ line }) {
    yield* repeat(20, (index) => line(codexTell("warning", { message: `${index}${long(20 * MIB)}` })));
  },
  "ends before beginnings, and twice": function* ({ line }) {
    const end = { type: "agentMessage", id: "m", text: "Ended." };
    yield line(codexTell("item/completed", { item: end }));
    yield line(codexTell("item/completed", { item: end }));
    yield line(codexTell("item/agentMessage/delta", { itemId: "m", delta: "late" }));
    yield line(codexTell("item/completed", { item: { type: "dynamicToolCall", id: "nobody" } }));
    yield line(JSON.stringify({ method: "turn/completed", params: { turn: { id: "another", status: "completed" } } }));
    yield line(JSON.stringify({ method: "turn/completed", params: { turn: { id: "turn", status: "completed" } } }));
    yield line(JSON.stringify({ method: "turn/completed", params: { turn: { id: "turn", status: "completed" } } }));
  },
  "an error whose words are made to be slow to read": function* ({ line }) {
    const tail = ", request id: ".repeat(600_000);
    yield line(codexEnd({ message: `unexpected status 500 Oops: ${tail}\nx` }));
  },
  "an error that is long": function* ({ line }) {
    yield line(codexEnd({ message: long(20 * MIB), codexErrorInfo: "badRequest" }));
  },
};

const acpUpdate = (update) =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });
const acpAsk = (id, method, params) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

const ACP = {
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

const open = (properties, type) =>
  `{"type":"event","event":${JSON.stringify({ type, properties: { sessionID: "ses_1", ...properties } })}}`;
const MESSAGE = "msg_zzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
const begun = open({ info: { id: MESSAGE, sessionID: "ses_1", role: "assistant", time: {} } }, "message.updated");
const part = (fields) => open({ part: { sessionID: "ses_1", messageID: MESSAGE, ...fields } }, "message.part.updated");

const OPENCODE = {
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

/** By the program that plays them. */
export const ATTACKS = {
  codex: { ...COMMON, ...CODEX },
  acp: { ...COMMON, ...ACP },
  opencode: { ...COMMON, ...OPENCODE },
};

/** What the attacks that are for everybody need of a protocol. */
export const VOICES = {
  codex: {
    line: (json) => `${json}\n`,
    question: (id) => `{"id":${id},"method":"no/such/method","params":{}}`,
    answer: (id) => `{"id":${id},"result":{"thread":{"id":"other"},"turn":{"id":"other"}}}`,
    messages: [
      { method: "turn/started", params: { turn: { id: "turn" } } },
      { method: "item/agentMessage/delta", params: { turnId: "turn", itemId: "m", delta: "Hello" } },
      { method: "item/reasoning/textDelta", params: { turnId: "turn", itemId: "r", delta: "Hm" } },
      { method: "item/reasoning/summaryPartAdded", params: { turnId: "turn", itemId: "r", summaryIndex: 1 } },
      { method: "item/completed", params: { turnId: "turn", item: { type: "agentMessage", id: "m", text: "Hello." } } },
      {
        method: "item/completed",
        params: { turnId: "turn", item: { type: "reasoning", id: "r", summary: ["a"], content: ["b"] } },
      },
      {
        method: "thread/tokenUsage/updated",
        params: { turnId: "turn", tokenUsage: { last: { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 } } },
      },
      { method: "warning", params: { message: "careful" } },
      { method: "item/commandExecution/requestApproval", id: 5, params: { turnId: "turn" } },
      {
        method: "item/tool/call",
        id: 6,
        params: { turnId: "turn", callId: "c", tool: "Read", arguments: { file_path: "/nowhere" } },
      },
      { method: "nobody/knows", id: 7, params: {} },
    ],
  },
  acp: {
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
  },
  opencode: {
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
        [
          "message.updated",
          { info: { id: "msg_zzz", sessionID: "ses_1", role: "assistant", time: {}, summary: true } },
        ],
        [
          "message.part.updated",
          { part: { id: "p", messageID: "msg_zz", type: "text", text: "Hi", time: { end: 1 } } },
        ],
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
  },
};
