import { describe, expect, test } from "vitest";
import { evaluate, type CallInQuestion } from "../../src/gate/index.ts";
import { bash, call, context, edit, fetching, read } from "./stand.ts";

test("who decided and why", () => {
  const where = context({ allow: ["Bash"] }, { toolConfig: { Bash: { commands: ["npm test"] } }, autonomy: "full" });
  expect(evaluate(bash("npm test && curl a.example"), where)).toEqual({
    effect: "deny",
    step: "tool",
    rule: "session: tool_config",
    why: "This session was started with Bash for nothing but Bash(npm test).",
  });
});

describe("the configuration of a session's tools only takes away", () => {
  const toolConfig = {
    Bash: { commands: ["npm test", "git log:*"] },
    Read: { paths: ["src/**"] },
    WebFetch: { hosts: ["docs.example.org", "*.a.example"] },
    Agent: { agents: ["reviewer"] },
    Write: {},
  };
  test.each<[string, CallInQuestion, string]>([
    ["a command of it", bash("npm test"), "ask"],
    ["a command of it with arguments", bash("git log --oneline && npm test"), "ask"],
    ["another command", bash("npm run test"), "deny"],
    ["a command in a command", bash("npm test $(id)"), "deny"],
    ["a line that writes", bash("npm test > a.txt"), "deny"],
    ["a file of it", read("src/a/b.ts"), "allow"],
    ["another file", read("docs/a.md"), "deny"],
    ["the folder above", read("."), "deny"],
    ["another tool that reads", read("docs/a.md", "Grep"), "allow"],
    ["a host of it that the policy does not open", fetching("docs.example.org"), "deny"],
    ["a host that only the policy opens", fetching("open.example"), "deny"],
    ["a host of both", fetching("b.a.example"), "allow"],
    ["a kind of it, by the tool's other name", call("Task", { input: { subagent_type: "reviewer" } }), "ask"],
    ["another kind", call("Task", { input: { subagent_type: "writer" } }), "deny"],
    ["a tool with nothing in it", edit("a.ts", "Write"), "ask"],
  ])("%s", (_name, asked, effect) =>
    expect(evaluate(asked, context({ web_hosts: ["open.example", "b.a.example"] }, { toolConfig })).effect).toBe(
      effect,
    ),
  );
});
