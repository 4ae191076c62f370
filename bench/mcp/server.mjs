// The least MCP server on standard streams: one tool that answers at once, so that only the way to it is measured.
import { createInterface } from "node:readline";

const TOOL = { name: "echo", description: "Echoes.", inputSchema: { type: "object" } };

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
  "tools/call": ({ arguments: input }) => ({ content: [{ type: "text", text: JSON.stringify(input) }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const reply =
    answer === undefined ? { error: { code: -32_601, message: "unknown method" } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
});
