import { describe, expect, test } from "vitest";
import { evaluate, type CallInQuestion, type PolicyContext } from "../../src/gate/index.ts";
import { at, bash, call, edit, fetching, read, context } from "./stand.ts";

const search = call("WebSearch", { tier: "network" });
const viewer = call("mcp__page__add_viewer", { tier: "page" });
const question = call("AskUserQuestion", { tier: "read", alwaysAsks: true });

describe("every step says who decided and why", () => {
  test.each<[string, CallInQuestion, PolicyContext, Readonly<Record<string, string>>]>([
    [
      "schema",
      call("Read", { schemaError: "file_path: Required" }),
      context(),
      { effect: "deny", step: "schema", rule: "Read input", why: "The input does not fit Read: file_path: Required" },
    ],
    [
      "an unknown tool",
      call("Nope", { known: false, schemaError: "x" }),
      context(),
      { effect: "deny", step: "tool", rule: "known tools", why: "There is no tool named Nope." },
    ],
    [
      "the profile's tools",
      bash("ls"),
      context({ tools: ["Read", "Glob"] }, { autonomy: "full" }),
      {
        effect: "deny",
        step: "tool",
        rule: "profile test: tools",
        why: "The profile test does not give the tool Bash.",
      },
    ],
    [
      "the session's tools",
      bash("ls"),
      context({}, { tools: ["Read"], autonomy: "full" }),
      { effect: "deny", step: "tool", rule: "session: tools", why: "This session was started without the tool Bash." },
    ],
    [
      "a deny rule",
      bash("sudo rm x"),
      context({ deny: ["Bash(rm:*)"], allow: ["Bash(*)"] }, { autonomy: "full", grants: ["Bash(sudo rm x)"] }),
      {
        effect: "deny",
        step: "policy",
        rule: "deny Bash(rm:*)",
        why: "The policy denies Bash(rm:*): rm x matches it.",
      },
    ],
    [
      "a host that is not listed",
      fetching("example.org"),
      context({}, { autonomy: "full" }),
      {
        effect: "deny",
        step: "policy",
        rule: "profile test: web_hosts",
        why: "example.org is not among the hosts that the profile test may reach. An admin can add it to web_hosts.",
      },
    ],
    [
      "a path outside",
      call("Write", { tier: "write", paths: [{ given: "link/x", real: "/etc/x", access: "write" }] }),
      context({ allow: ["Write"] }, { autonomy: "full" }),
      {
        effect: "deny",
        step: "paths",
        rule: "inside the workspace",
        why: "Write writes link/x, which is outside of the workspace (it leads to /etc/x).",
      },
    ],
    [
      "the guard",
      bash("rm x"),
      context({ hooks: ["guarded"], allow: ["Bash(*)"] }, { autonomy: "full" }),
      { effect: "deny", step: "hooks", rule: "guarded: rm", why: "Command 'rm' is not in the allowed commands list" },
    ],
    [
      "autonomy",
      bash("ls"),
      context(),
      { effect: "ask", step: "autonomy", rule: "supervised: execute", why: "Bash runs a program." },
    ],
    [
      "autonomy after the guard",
      bash("ls"),
      context({ hooks: ["guarded"] }),
      {
        effect: "ask",
        step: "autonomy",
        rule: "supervised: execute",
        why: "Bash runs a program that the guard let pass.",
      },
    ],
    [
      "a session that never asks",
      bash("ls"),
      context({}, { neverAsk: true }),
      {
        effect: "deny",
        step: "autonomy",
        rule: "supervised: execute",
        why: "Bash runs a program. This session never asks (dontAsk), so it is refused.",
      },
    ],
    [
      "a broken rule in the policy",
      read("a"),
      context({ deny: ["Edit(~/x)"] }),
      {
        effect: "deny",
        step: "policy",
        rule: "profile test: Edit(~/x)",
        why: "The policy's rule Edit(~/x) is not valid, so nothing is allowed until it is mended.",
      },
    ],
  ])("%s", (_name, tried, where, ruling) => expect(evaluate(tried, where)).toEqual(ruling));
});

describe("autonomy", () => {
  const tried: readonly (readonly [string, CallInQuestion])[] = [
    ["read", read("a")],
    ["network", search],
    ["listed host", fetching("example.org")],
    ["page", viewer],
    ["write", edit("a")],
    ["execute", bash("ls")],
    ["question", question],
  ];
  const web = { web_hosts: ["example.org"] };
  const table: readonly (readonly [string, PolicyContext, readonly string[]])[] = [
    ["full", context(web, { autonomy: "full" }), ["allow", "allow", "allow", "allow", "allow", "allow", "ask"]],
    ["supervised", context(web), ["allow", "ask", "allow", "allow", "ask", "ask", "ask"]],
    [
      "supervised, asking about reads",
      context(web, { askReads: true }),
      ["ask", "ask", "allow", "allow", "ask", "ask", "ask"],
    ],
    ["acceptEdits", context(web, { acceptEdits: true }), ["allow", "ask", "allow", "allow", "allow", "ask", "ask"]],
    ["dontAsk", context(web, { neverAsk: true }), ["allow", "deny", "allow", "allow", "deny", "deny", "deny"]],
    ["restricted", context(web, { autonomy: "restricted" }), ["ask", "ask", "ask", "ask", "ask", "ask", "ask"]],
    ["read_only", context(web, { autonomy: "read_only" }), ["deny", "deny", "deny", "deny", "deny", "deny", "deny"]],
    [
      "read_only with an allowed tool",
      context({ ...web, allow: ["Read", "Edit", "Bash"] }, { autonomy: "read_only" }),
      ["allow", "deny", "deny", "deny", "deny", "deny", "deny"],
    ],
    [
      "guarded and full",
      context({ ...web, hooks: ["guarded"] }, { autonomy: "full" }),
      ["allow", "allow", "allow", "allow", "allow", "allow", "ask"],
    ],
  ];
  test.each(table)("%s", (_name, where, effects) => {
    expect(tried.map(([name, each]) => [name, evaluate(each, where).effect])).toEqual(
      tried.map(([name], index) => [name, effects[index]]),
    );
  });
});

describe("unasked under supervised", () => {
  const reads = (command: string, open = false): CallInQuestion => ({
    ...bash(command),
    reading: { programs: ["git"], open, git: true },
  });
  const walled = context({}, { walled: true });
  const atEnd = context({}, { reviewedAtEnd: true });
  test.each<[string, CallInQuestion, PolicyContext, string, string]>([
    ["a command that only reads", reads("git status"), context(), "allow", "supervised: only reads"],
    ["dontAsk", reads("git status"), context({}, { neverAsk: true }), "allow", "supervised: only reads"],
    ["an ask rule", reads("git status"), context({ ask: ["Bash(git status)"] }), "ask", "ask Bash(git status)"],
    ["an ask rule for Bash", reads("git status"), context({ ask: ["Bash"] }), "ask", "ask Bash"],
    ["a deny rule", reads("git status"), context({ deny: ["Bash(git:*)"] }), "deny", "deny Bash(git:*)"],
    ["a deny rule for Read", reads("cat a"), context({ deny: ["Read"] }), "ask", "supervised: execute"],
    ["an ask rule for Grep", reads("cat a"), context({ ask: ["Grep"] }), "ask", "supervised: execute"],
    ["a denied file, named", reads("cat .env"), context({ deny: ["Read(.env)"] }), "deny", "deny Read(.env)"],
    ["a denied file, elsewhere", reads("cat a"), context({ deny: ["Read(.env)"] }), "allow", "supervised: only reads"],
    [
      "a denied file, perhaps",
      reads("git diff", true),
      context({ deny: ["Read(.env)"] }),
      "ask",
      "supervised: execute",
    ],
    [
      "a rule about writing",
      reads("git diff", true),
      context({ deny: ["Edit(x)"] }),
      "allow",
      "supervised: only reads",
    ],
    ["reads are asked", reads("git status"), context({}, { askReads: true }), "ask", "supervised: execute"],
    ["a review is promised", reads("git status"), context({}, { reviews: true }), "ask", "supervised: execute"],
    ["restricted", reads("git status"), context({}, { autonomy: "restricted" }), "ask", "restricted"],
    ["read_only", reads("git status"), context({}, { autonomy: "read_only" }), "deny", "read_only"],
    ["plan", reads("git status"), context({}, { plans: true }), "deny", "mode: plan"],
    ["guarded", reads("du -s"), context({ hooks: ["guarded"] }), "deny", "guarded: du"],
    [
      "a wish to leave the sandbox",
      { ...reads("ls"), input: { command: "ls", dangerouslyDisableSandbox: true } },
      context(),
      "ask",
      "sandbox",
    ],
    ["a command behind walls", bash("make"), walled, "allow", "supervised: sandbox"],
    ["an edit behind walls", edit("a"), walled, "allow", "supervised: sandbox"],
    ["a new notebook cell behind walls", edit("a.ipynb", "NotebookEdit"), walled, "allow", "supervised: sandbox"],
    ["behind walls, a file that is obeyed", edit(".git/config"), walled, "ask", "protected files"],
    ["behind walls, a client's tool", call("mcp__shop__pay"), walled, "ask", "supervised: execute"],
    ["behind walls, a module's tool", call("Deploy"), walled, "ask", "supervised: execute"],
    [
      "behind walls, a client's writing tool",
      call("mcp__shop__save", { tier: "write" }),
      walled,
      "ask",
      "supervised: write",
    ],
    [
      "behind walls, an ask rule",
      bash("make"),
      context({ ask: ["Bash(make)"] }, { walled: true }),
      "ask",
      "ask Bash(make)",
    ],
    ["behind walls, out of the workspace", edit("/etc/x"), walled, "deny", "inside the workspace"],
    [
      "behind walls, a promised review",
      bash("make"),
      context({}, { walled: true, reviews: true }),
      "ask",
      "supervised: execute",
    ],
    [
      "behind walls, restricted",
      bash("make"),
      context({}, { walled: true, autonomy: "restricted" }),
      "ask",
      "restricted",
    ],
    [
      "behind walls, read_only",
      bash("make"),
      context({}, { walled: true, autonomy: "read_only" }),
      "deny",
      "read_only",
    ],
    ["with a review at the end, a command", bash("make"), atEnd, "allow", "supervised: review at end"],
    ["with a review at the end, an edit", edit("a"), atEnd, "allow", "supervised: review at end"],
    ["with a review at the end, a file that is obeyed", edit(".git/config"), atEnd, "ask", "protected files"],
    ["with a review at the end, a client's tool", call("mcp__shop__pay"), atEnd, "ask", "supervised: execute"],
    [
      "with a review at the end, a promise to ask before each change",
      bash("make"),
      context({}, { reviewedAtEnd: true, reviews: true }),
      "ask",
      "supervised: execute",
    ],
  ])("%s", (_name, tried, where, effect, rule) => {
    expect(evaluate(tried, where)).toMatchObject({ effect, rule });
  });
});

describe("what beats what", () => {
  const effect = (tried: CallInQuestion, where: PolicyContext) => evaluate(tried, where).effect;
  test.each<[string, CallInQuestion, PolicyContext, string]>([
    ["an allow rule beats supervised", bash("npm test"), context({ allow: ["Bash(npm test)"] }), "allow"],
    [
      "an allow rule does not beat restricted",
      bash("npm test"),
      context({ allow: ["Bash"] }, { autonomy: "restricted" }),
      "ask",
    ],
    [
      "a grant beats restricted",
      bash("npm test"),
      context({}, { autonomy: "restricted", grants: ["Bash(npm test)"] }),
      "allow",
    ],
    ["a grant beats dontAsk", bash("npm test"), context({}, { neverAsk: true, grants: ["Bash(npm test)"] }), "allow"],
    ["a grant does not beat read_only", read("a"), context({}, { autonomy: "read_only", grants: ["Read(a)"] }), "deny"],
    [
      "a grant means the line and nothing else",
      bash("npm test && npm test"),
      context({}, { grants: ["Bash(npm test)"] }),
      "ask",
    ],
    ["an ask rule beats full", bash("git push"), context({ ask: ["Bash(git push:*)"] }, { autonomy: "full" }), "ask"],
    [
      "an ask rule beats an allow rule",
      bash("git push"),
      context({ ask: ["Bash(git push:*)"], allow: ["Bash"] }),
      "ask",
    ],
    [
      "an ask rule beats a grant",
      bash("git push"),
      context({ ask: ["Bash(git push:*)"] }, { grants: ["Bash(git push)"] }),
      "ask",
    ],
    [
      "an ask rule sees through wrappers",
      bash("sudo sh -c 'git push'"),
      context({ ask: ["Bash(git push:*)"] }, { autonomy: "full" }),
      "ask",
    ],
    ["a deny rule beats an ask rule", bash("git push"), context({ ask: ["Bash"], deny: ["Bash(git push:*)"] }), "deny"],
    [
      "dontAsk turns an ask rule into a refusal",
      bash("ls"),
      context({ ask: ["Bash"] }, { autonomy: "full", neverAsk: true }),
      "deny",
    ],
    [
      "what cannot be parsed is asked where rules deny",
      bash("ls ("),
      context({ deny: ["Bash(rm:*)"] }, { autonomy: "full" }),
      "ask",
    ],
    [
      "what cannot be parsed is asked where rules deny paths",
      bash("ls ("),
      context({ deny: ["Read(.env)"] }, { autonomy: "full" }),
      "ask",
    ],
    [
      "what is known only at run time is asked where rules deny",
      bash("$x y"),
      context({ deny: ["Bash(rm:*)"] }, { autonomy: "full" }),
      "ask",
    ],
    [
      "inline code is asked where rules deny",
      bash("node -e x"),
      context({ deny: ["Bash(rm:*)"] }, { autonomy: "full" }),
      "ask",
    ],
    [
      "an unknown wrapper of a denied command is asked",
      bash("zzz -q rm x"),
      context({ deny: ["Bash(rm:*)"] }, { autonomy: "full" }),
      "ask",
    ],
    ["even if all of Bash is allowed", bash("ls ("), context({ deny: ["Bash(rm:*)"], allow: ["Bash"] }), "ask"],
    ["without such rules full is full", bash("ls ("), context({}, { autonomy: "full" }), "allow"],
    [
      "a search that may find a denied file is asked",
      read("", "Grep"),
      context({ deny: ["Read(.env)"] }, { autonomy: "full" }),
      "ask",
    ],
    [
      "a search elsewhere is not",
      read("src", "Grep"),
      context({ deny: ["Read(secrets/**)"] }, { autonomy: "full" }),
      "allow",
    ],
    [
      "leaving the sandbox is asked",
      bash("ls", { dangerouslyDisableSandbox: true }),
      context({ allow: ["Bash"] }, { autonomy: "full" }),
      "ask",
    ],
    ["git's hooks are asked about", edit(".git/hooks/pre-commit"), context({}, { autonomy: "full" }), "ask"],
    ["also under acceptEdits", edit("sub/.git/config"), context({}, { acceptEdits: true }), "ask"],
    ["also where all edits are allowed", edit(".claude/settings.local.json"), context({ allow: ["Edit(**)"] }), "ask"],
    ["unless the rule names the file", edit(".mcp.json"), context({ allow: ["Edit(.mcp.json)"] }), "allow"],
    ["the policy file is asked about", edit("sallyport.yaml"), context({}, { autonomy: "full" }), "ask"],
    ["a file that is only named alike is not", edit("src/git/config"), context({}, { autonomy: "full" }), "allow"],
    [".gitignore is not", edit(".gitignore"), context({}, { autonomy: "full" }), "allow"],
    ["reading .git is not", read(".git/config"), context(), "allow"],
    ["the host rule opens a host", fetching("a.b"), context({ allow: ["WebFetch(domain:a.b)"] }), "allow"],
    ["the tool's bare name does not", fetching("a.b"), context({ allow: ["WebFetch"] }), "deny"],
    ["a wildcard in web_hosts", fetching("x.a.b"), context({ web_hosts: ["*.a.b"] }), "allow"],
    ["extra folders may be read", read("/usr/share/x"), context({}, { extraRead: ["/usr/share"] }), "allow"],
    [
      "but not written",
      call("Write", { tier: "write", paths: [at("/usr/share/x", "write")] }),
      context({}, { autonomy: "full", extraRead: ["/usr/share"] }),
      "deny",
    ],
    ["a folder that begins alike is outside", read("/home/dev/app2/x"), context({}, { autonomy: "full" }), "deny"],
    ["a name that begins with dots is inside", read("..x"), context(), "allow"],
    [
      "another tool's command is guarded, too",
      call("Monitor", { input: { command: "rm x" } }),
      context({ hooks: ["guarded"] }, { autonomy: "full" }),
      "deny",
    ],
    [
      "another tool's command is denied, too",
      call("Monitor", { input: { command: "rm x" } }),
      context({ deny: ["Bash(rm:*)"] }, { autonomy: "full" }),
      "deny",
    ],
    ["but not allowed", call("Monitor", { input: { command: "ls" } }), context({ allow: ["Bash(ls:*)"] }), "ask"],
    ["a broken allow rule allows nothing", bash("ls"), context({ allow: ["Bash(ls"] }), "ask"],
    ["a broken grant allows nothing", bash("ls"), context({}, { grants: ["Bash(ls", ""] }), "ask"],
  ])("%s", (_name, tried, where, expected) => expect(effect(tried, where)).toBe(expected));
});
