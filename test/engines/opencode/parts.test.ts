import { describe, expect, it, test } from "vitest";
import { promptIdAt } from "../../../src/engines/opencode/ids.ts";
import { maySucceed, restOutcome } from "../../../src/engines/opencode/outcome.ts";
import { answerMcp, calledTool, servedTools } from "../../../src/engines/opencode/tools.ts";

describe("ids of prompts", () => {
  const NOW = 1_794_889_570_856;

  it("have OpenCode's form, and the time that it would give them", () => {
    expect(promptIdAt(NOW, undefined)).toMatch(/^msg_1e7c15a28000[0-9A-Za-z]{14}$/);
  });

  test.each([
    ["an older message", "msg_1e7c15a27001aaaaaaaaaaaaaa"],
    ["one of the same millisecond", "msg_1e7c15a28fffaaaaaaaaaaaaaa"],
    ["one of a clock that went back", "msg_1e7c15b28001aaaaaaaaaaaaaa"],
    ["what is no id", "prompt"],
  ])("come after %s", (_, newest) => {
    const id = promptIdAt(NOW, newest);
    expect(newest.startsWith("msg_") ? id > newest : id.startsWith("msg_1e7c15a28000")).toBe(true);
  });
});

describe("what it means when OpenCode rests", () => {
  const context = { cut: false, refusal: undefined, structured: false };
  const failure = (name: string, status?: number): Parameters<typeof restOutcome>[1] => ({
    name,
    message: "m",
    status,
  });

  test.each([
    [401, "model_unauthenticated"],
    [403, "model_unauthenticated"],
    [400, "model_error"],
    [429, "model_unavailable"],
    [529, "model_unavailable"],
    [undefined, "model_unavailable"],
  ])("the model answered %s: %s", (status, code) => {
    expect(restOutcome(undefined, failure("APIError", status), context)).toMatchObject({ error: { code } });
  });

  test.each([
    ["MessageAbortedError", "aborted"],
    ["MessageOutputLengthError", "max_tokens"],
    ["ContextOverflowError", "context_exceeded"],
    ["ContentFilterError", "refusal"],
    ["ProviderAuthError", "model_unauthenticated"],
    ["SomethingNew", "engine_failed"],
  ])("%s: %s", (name, code) => {
    expect(restOutcome(undefined, failure(name), context)).toMatchObject({ type: "failed", error: { code } });
  });

  it("asks for money when there is none, and gives the proxy's own reason", () => {
    const unpaid = { ...context, refusal: "budget_exceeded" as const, status: 402 };
    expect(restOutcome(undefined, failure("APIError", 402), unpaid)).toEqual({ type: "funds", message: "m" });
    // OpenCode does not say the status of what it asked for again.
    expect(restOutcome(undefined, failure("APIError"), unpaid)).toEqual({ type: "funds", message: "m" });
    // An account at the provider that is empty: no limit of ours can be raised for it.
    const empty = restOutcome(undefined, failure("APIError", 402), { ...context, status: 402 });
    expect(empty).toMatchObject({ error: { code: "model_error" } });
    const refused = { ...context, refusal: "forbidden" as const };
    expect(restOutcome(undefined, failure("APIError", 403), refused)).toMatchObject({ error: { code: "forbidden" } });
  });

  test.each([
    [0, undefined, true],
    [200, undefined, true],
    [400, undefined, false],
    [402, "budget_exceeded", false],
    [403, "forbidden", false],
    [408, "timed_out", true],
    [409, "conflict", true],
    [429, "rate_limited", true],
    [503, "limit_reached", true],
  ] as const)("a request that was answered %s (%s) is worth another: %s", (status, refusal, worth) => {
    expect(maySucceed({ status, refusal })).toBe(worth);
  });

  it("goes by the status that the proxy saw, where OpenCode says none", () => {
    expect(restOutcome(undefined, failure("APIError"), { ...context, status: 400 })).toMatchObject({
      error: { code: "model_error" },
    });
  });

  it("tells a broken answer from an unreachable model", () => {
    const cut = { ...context, cut: true };
    expect(restOutcome(undefined, failure("APIError"), cut)).toMatchObject({ error: { code: "model_stream_cut" } });
  });
});

describe("the tools that OpenCode gets", () => {
  const long = `mcp__page__${"a".repeat(60)}`;
  const definitions = ["Bash", long].map((name) => ({ name, description: name, input_schema: { type: "object" } }));
  const tools = servedTools({ definitions: () => definitions }, {});

  it("have names that every provider takes, and each leads back to its tool", () => {
    for (const { name, served } of tools) {
      expect(`sallyport_${served}`.length).toBeLessThanOrEqual(64);
      expect(calledTool(`sallyport_${served}`, tools)).toBe(name);
    }
    expect(calledTool("Teleport", tools)).toBe("Teleport");
  });

  it("are served by MCP, and nothing else is", async () => {
    const call = async (): Promise<{ content: []; is_error: boolean }> => ({ content: [], is_error: false });
    const ask = (method: string, params = {}): Promise<unknown> =>
      answerMcp({ jsonrpc: "2.0", id: 1, method, params }, { tools, call });
    expect(await ask("tools/list")).toMatchObject({ result: { tools: [{ name: "Bash" }, {}] } });
    expect(await ask("tools/call", { name: "Bash", arguments: {} })).toMatchObject({ result: { isError: false } });
    expect(await ask("tools/call", { name: "Rm", arguments: {} })).toMatchObject({ result: { isError: true } });
    expect(await ask("resources/list")).toMatchObject({ error: { code: -32_601 } });
    expect(await answerMcp({ jsonrpc: "2.0", method: "notifications/initialized" }, { tools, call })).toBeUndefined();
  });
});
