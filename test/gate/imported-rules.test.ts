import { describe, expect, it } from "vitest";
import { claudeRules, codexRules, withImported } from "../../src/gate/index.ts";

const HOME = { home: "/home/ada" };

describe("permissions of Claude Code", () => {
  it("become rules of ours, and what has no counterpart is named", () => {
    const text = JSON.stringify({
      permissions: {
        allow: ["Bash(npm run test:*)", "Read(~/notes/**)", "Agent(tester)", "WebFetch(domain:example.org)", "Bash"],
        ask: ["Edit(/src/**)", "mcp__github"],
        deny: ["Read(//etc/**)", "Read(.env)", "Read(../x)", "Bash(rm:*)", "Bash(rm:*)"],
        defaultMode: "acceptEdits",
        additionalDirectories: ["/x"],
      },
      hooks: {},
    });
    expect(claudeRules(text, HOME)).toEqual({
      allow: [
        "Bash(npm run test:*)",
        "Read(/home/ada/notes/**)",
        "Task(tester)",
        "WebFetch(domain:example.org)",
        "Bash",
      ],
      ask: ["Edit(./src/**)", "mcp__github"],
      deny: ["Read(//etc/**)", "Read(.env)", "Bash(rm:*)"],
      left_out: [
        { rule: "deny Read(../x)", why: "a path rule cannot hold .." },
        { rule: "permissions.defaultMode", why: "set `autonomy` of the profile" },
        { rule: "permissions.additionalDirectories", why: "set `extra_read` of the profile" },
      ],
    });
  });

  it.each([["nothing"], ["[]"], ['{"permissions":{"allow":"Bash"}}'], ['{"permissions":[]}']])(
    "%s is refused",
    (text) => {
      expect(() => claudeRules(text, HOME)).toThrow(expect.objectContaining({ code: "invalid_request" }));
    },
  );
});

describe("rules of Codex", () => {
  it("become rules of ours, one for each alternative", () => {
    const text = `
# Comments are passed over: prefix_rule(
prefix_rule(
    pattern = ["git", ["push", 'fetch']],
    decision = "prompt",
    justification = "ask \\"first\\"",
    match = [["git", "push"], "git fetch"],
)
prefix_rule(pattern=["ls"])
prefix_rule(pattern=["rm", "-rf"], decision="forbidden", not_match=["rm x"])
prefix_rule(pattern=["echo", "$HOME"], decision="allow")
host_executable(name = "git", paths = ["/usr/bin/git"])
`;
    expect(codexRules(text)).toEqual({
      allow: ["Bash(ls:*)"],
      ask: ["Bash(git push:*)", "Bash(git fetch:*)"],
      deny: ["Bash(rm -rf:*)"],
      left_out: [
        { rule: "allow echo $HOME", why: "its words have characters with a meaning for shells" },
        { rule: "host_executable, line 12", why: "it has no counterpart" },
      ],
    });
  });

  it.each([
    ["prefix_rule(pattern=[])", "line 1: pattern must be a list of words"],
    ['prefix_rule(pattern=["a"],\n decision="maybe")', "line 1: decision must be allow, prompt or forbidden"],
    ['prefix_rule(pattern=["a"]', "line 1: , is missing"],
    ['\nprefix_rule(pattern=["a" + "b"])', "line 2: only calls with texts and lists can be read"],
    ["prefix_rule(pattern=[[[[[]]]]])", "line 1: its lists are too deep"],
    ['prefix_rule(pattern=[[["a"]]])', "line 1: a place of a pattern is a word or a list of words"],
    [`prefix_rule(pattern=[${'["a","b"],'.repeat(7)}])`, "line 1: a pattern can stand for 64 commands"],
    ["load(x)", "line 1: = is missing"],
  ])("%s is refused", (text, message) => {
    expect(() => codexRules(text)).toThrow(expect.objectContaining({ code: "invalid_request", message }));
  });
});

describe("a profile with imported rules", () => {
  const rules = { deny: ["Bash(rm:*)"], ask: ["WebFetch"], allow: ["Bash(ls:*)"], left_out: [] };

  it("gets what it does not have", () => {
    const { profile, added } = withImported({ deny: ["Bash(rm:*)"], allow: ["Read"] }, rules, { stricter: false });
    expect(profile).toEqual({ deny: ["Bash(rm:*)"], ask: ["WebFetch"], allow: ["Read", "Bash(ls:*)"] });
    expect(added).toEqual({ deny: [], ask: ["WebFetch"], allow: ["Bash(ls:*)"] });
  });

  it("gets no allowing rules where only stricter ones are wanted", () => {
    const { profile } = withImported({}, rules, { stricter: true });
    expect(profile).toEqual({ deny: ["Bash(rm:*)"], ask: ["WebFetch"] });
  });

  it("does not silence questions by its first list", () => {
    const first = withImported({ ask_only_listed: true }, rules, { stricter: true });
    expect([first.profile.ask_only_listed, first.notes.length]).toEqual([undefined, 1]);
    const later = withImported({ ask_only_listed: true, ask: ["Bash"] }, rules, { stricter: true });
    expect([later.profile.ask_only_listed, later.notes.length]).toEqual([true, 0]);
  });
});
