import { deep, deepObject, long, MIB, repeat } from "./parts.mjs";

const codexCall = (id, call, input, tool = "Read") =>
  `{"id":${id},"method":"item/tool/call","params":{"threadId":"thread","turnId":"turn","callId":${JSON.stringify(call)},"tool":${JSON.stringify(tool)},"arguments":${input}}}`;
const codexTell = (method, params) => JSON.stringify({ method, params: { turnId: "turn", ...params } });
const codexEnd = (error) =>
  JSON.stringify({ method: "turn/completed", params: { turn: { id: "turn", status: "failed", error } } });

export const CODEX = {
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

export const voice = {
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
};
