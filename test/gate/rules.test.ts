import { describe, expect, test } from "vitest";
import { allowsCommand, matchRule, parseRule, type CallInQuestion } from "../../src/gate/index.ts";
import { sessionRule } from "../../src/gate/session-rule.ts";
import { at, bash, call, edit, fetching, FOLDER, read, context, WORKSPACE } from "./stand.ts";

function rule(text: string) {
  const parsed = parseRule(text);
  if ("error" in parsed) throw new Error(`${text}: ${parsed.error}`);
  return parsed;
}
const allows = (text: string, tried: CallInQuestion) =>
  matchRule(rule(text), tried, { workspace: WORKSPACE, effect: "allow" });
const denies = (text: string, tried: CallInQuestion) =>
  matchRule(rule(text), tried, { workspace: WORKSPACE, effect: "deny" });

describe("texts that are no rules", () => {
  test.each([
    ["", "must begin with a tool's name, like Bash or Edit(src/**)"],
    ["(x)", "must begin with a tool's name, like Bash or Edit(src/**)"],
    ["rm -rf", "must begin with a tool's name, like Bash or Edit(src/**)"],
    ["Bash(ls", "the bracket is not closed"],
    ["Bash()", "nothing stands in the brackets; leave them out to mean every call"],
    ["Bash( )", "nothing stands in the brackets; leave them out to mean every call"],
    ["Edit(~/x)", "~ is not known here; write the absolute path"],
    ["Edit(../x)", "a path rule cannot hold .."],
    ["Edit(/a/../b)", "a path rule cannot hold .."],
    ["WebFetch(example.org)", "write WebFetch(domain:example.org)"],
    ["WebFetch(domain:)", "write WebFetch(domain:example.org)"],
    ["TodoWrite(x)", "TodoWrite takes nothing in brackets but * or the whole input as JSON"],
    ["mcp__*(x)", "a tool name with * takes nothing in brackets"],
    [`Bash(${"x".repeat(500)})`, "longer than 500 characters"],
  ])("%s", (text, error) => expect(parseRule(text)).toEqual({ error }));
});

describe("tools", () => {
  test.each<[string, string, boolean]>([
    ["Bash", "Bash", true],
    ["Bash(*)", "Bash", true],
    ["Bash", "BashOutput", false],
    ["*", "Anything", true],
    ["mcp__git__*", "mcp__git__push", true],
    ["mcp__git__*", "mcp__github__push", false],
    ["mcp__git", "mcp__git__push", true],
    ["mcp__git", "mcp__github__push", false],
    ["mcp__*__list_*", "mcp__page__list_rows", true],
    ["mcp__git__push", "mcp__git__push", true],
    ["mcp__git__push", "mcp__git__pull", false],
    ["Edit", "Write", true],
    ["Edit", "MultiEdit", true],
    ["Edit", "NotebookEdit", true],
    ["Edit", "Read", false],
    ["Write", "Edit", false],
    ["Read", "Grep", true],
    ["Read", "Glob", true],
    ["Read", "Edit", false],
    ["Task", "Agent", true],
    ["KillShell", "TaskStop", true],
    ["BashOutput", "TaskOutput", true],
    ["web*", "WebFetch", false],
    ["Web*", "WebFetch", true],
  ])("%s on %s: %s", (text, tool, expected) => expect(allows(text, call(tool))).toBe(expected));
});

describe("paths that are allowed", () => {
  test.each<[string, CallInQuestion, boolean]>([
    ["Edit(src/**)", edit("src/a/b.ts"), true],
    ["Edit(src/**)", edit("src/.hidden"), true],
    ["Edit(src/**)", edit("srcs/a.ts"), false],
    ["Edit(src/**)", edit("src/a.ts", "Write"), true],
    ["Edit(src/)", edit("src/a.ts"), true],
    ["Edit(src)", edit("src/a.ts"), false],
    ["Edit(src/*.ts)", edit("src/a.ts"), true],
    ["Edit(src/*.ts)", edit("src/a/b.ts"), false],
    ["Edit(src/*.TS)", edit("src/a.ts"), false],
    ["Edit(./**)", edit("a.ts"), true],
    ["Edit(**)", edit("a/b.ts"), true],
    ["Edit(*)", edit("a/b.ts"), true],
    ["Edit(a.ts)", edit("a.ts"), true],
    ["Edit(a.ts)", edit("b/a.ts"), false],
    ["Edit(src/{a,b}.ts)", edit("src/b.ts"), true],
    ["Edit(src/a?.ts)", edit("src/ab.ts"), true],
    ["Edit(app/(shop)/page.tsx)", edit("app/(shop)/page.tsx"), true],
    ["Edit(app/(shop)/*)", edit("app/(shop)/page.tsx"), true],
    ["Edit(app/\\[id\\]/page.tsx)", edit("app/[id]/page.tsx"), true],
    ["Edit(app/\\[id\\]/page.tsx)", edit("app/i/page.tsx"), false],
    ["Write(src/**)", edit("src/a.ts"), false],
    ["Write(/home/dev/app/src/**)", edit("src/a.ts", "Write"), true],
    ["Write(//home/dev/app/src/**)", edit("src/a.ts", "Write"), true],
    ["Read(./**)", read("a"), true],
    ["Read(./**)", read("", "Grep"), true],
    ["Read(./**)", read("/etc/passwd"), false],
    ["Read(/etc/**)", read("/etc/passwd"), true],
    ["Grep(./**)", read("src", "Grep"), true],
    ["Grep(./**)", read("src", "Read"), false],
    ["Edit(src/**)", call("Edit"), false],
  ])("%s", (text, tried, expected) => expect(allows(text, tried)).toBe(expected));
});

describe("paths that are denied", () => {
  test.each<[string, CallInQuestion, boolean]>([
    ["Read(.env)", read(".env"), true],
    ["Read(.env)", read("sub/.env"), true],
    ["Read(./.env)", read(".env"), true],
    ["Read(*.pem)", read("a/b/c.pem"), true],
    ["Read(secrets)", read("secrets/a/b"), true],
    ["Read(secrets/**)", read("secrets/a"), true],
    ["Read(.env)", edit(".env"), true],
    ["Read(.env)", edit(".env", "Write"), false],
    ["Read(.env)", read(".envrc"), false],
    ["Read(.env)", bash("cat .env"), true],
    ["Read(.env)", bash("cat ./sub/../.env"), true],
    ["Read(.env)", bash("cd sub && cat .env"), true],
    ["Read(.env)", bash("cat .e*"), true],
    ["Read(.env)", bash("cat *"), false],
    ["Read(.env)", bash("cp .env a"), true],
    ["Read(.env)", bash("wc < .env"), true],
    ["Read(.env)", bash("sudo sh -c 'cat .env'"), true],
    ["Read(.env)", bash("echo .env"), false],
    ["Read(.env)", bash("grep .env a"), false],
    ["Edit(src/**)", bash("cat src/a"), false],
    ["Edit(src/**)", bash("ls > src/a"), true],
    ["Edit(src/**)", bash("rm src/a"), true],
  ])("%s", (text, tried, expected) => expect(denies(text, tried)).toBe(expected));
});

describe("hosts and sub-agents", () => {
  test.each<[string, CallInQuestion, boolean, boolean]>([
    ["WebFetch(domain:example.org)", fetching("example.org"), true, true],
    ["WebFetch(domain:example.org)", fetching("EXAMPLE.org"), true, true],
    ["WebFetch(domain:example.org)", fetching("a.example.org"), false, true],
    ["WebFetch(domain:example.org)", fetching("badexample.org"), false, false],
    ["WebFetch(domain:*.example.org)", fetching("a.example.org"), true, true],
    ["WebFetch(domain:*.example.org)", fetching("example.org"), false, false],
    ["WebFetch(domain:*)", fetching("x.y"), true, true],
    ["Task(explorer)", call("Task", { input: { subagent_type: "explorer" } }), true, true],
    ["Task(explorer)", call("Agent", { input: { subagent_type: "explorer" } }), true, true],
    ["Task(explorer)", call("Task", { input: {} }), false, false],
  ])("%s", (text, tried, allowed, denied) => {
    expect([allows(text, tried), denies(text, tried)]).toEqual([allowed, denied]);
  });
});

describe("commands that are allowed", () => {
  test.each<[readonly string[], string, boolean]>([
    [["Bash(npm run test:*)"], "npm run test", true],
    [["Bash(npm run test:*)"], "npm run test -- --watch", true],
    [["Bash(npm run test:*)"], "npm run tests", false],
    [["Bash(npm run test:*)"], "npm run build", false],
    [["Bash(npm run test:*)"], "'npm' run \"test\"", true],
    [["Bash(npm run test:*)"], "'npm run test' x", false],
    [["Bash(npm run test:*)"], "npm run test && npm run test", true],
    [["Bash(npm run test:*)"], "npm run test && rm x", false],
    [["Bash(npm run test:*)"], "npm run test; rm x", false],
    [["Bash(npm run test:*)"], "npm run test\nrm x", false],
    [["Bash(npm run test:*)"], "npm run test & rm x", false],
    [["Bash(npm run test:*)"], "npm run test | sh", false],
    [["Bash(npm run test:*)"], "npm run test $(rm x)", false],
    [["Bash(npm run test:*)"], "npm run test `rm x`", false],
    [["Bash(npm run test:*)"], 'npm run test "${a:-$(rm x)}"', false],
    [["Bash(npm run test:*)"], "npm run test <(rm x)", false],
    [["Bash(npm run test:*)"], "npm run test > out", false],
    [["Bash(npm run test:*)"], "npm run test >> .git/hooks/x", false],
    [["Bash(npm run test:*)"], "npm run test > /dev/null 2>&1", true],
    [["Bash(npm run test:*)"], "npm run test < in", true],
    [["Bash(npm run test:*)"], "FOO=1 npm run test", false],
    [["Bash(npm run test:*)"], "PATH=. npm run test", false],
    [["Bash(npm run test:*)"], "NODE_OPTIONS=-r./x npm run test", false],
    [["Bash(npm run test:*)"], "timeout 60 npm run test", true],
    [["Bash(npm run test:*)"], "nice nohup npm run test", true],
    [["Bash(npm run test:*)"], "time npm run test", true],
    [["Bash(npm run test:*)"], "sudo npm run test", false],
    [["Bash(npm run test:*)"], "env npm run test", false],
    [["Bash(npm run test:*)"], "sh -c 'npm run test'", false],
    [["Bash(npm run test:*)"], "./timeout 60 npm run test", false],
    [["Bash(npm run test:*)"], "(npm run test)", true],
    [["Bash(npm run test:*)"], "if npm run test; then npm run test; fi", true],
    [["Bash(npm run test:*)"], "npm run test (", false],
    [["Bash(npm run test:*)"], "", false],
    [["Bash(npm run test:*)"], "FOO=1", false],
    [["Bash(npm run test:*)", "Bash(cat:*)"], "npm run test | cat", true],
    [["Bash(npm run test:*)", "Bash(cat:*)"], "npm run test | cat > x", false],
    [["Bash(sh:*)", "Bash(npm run test:*)"], "sh -c 'npm run test'", true],
    [["Bash(sh:*)"], "sh -c 'npm run test'", false],
    [["Bash(sh:*)"], 'sh -c "$x"', false],
    [["Bash(sh:*)"], "ls | sh", false],
    [["Bash(find:*)"], "find . -name x", true],
    [["Bash(find:*)"], "find . -exec rm {} +", false],
    [["Bash(find:*)"], "find $(cat x)", false],
    [["Bash(xargs:*)", "Bash(cat:*)"], "cat a | xargs cat", false],
    [["Bash(xargs:*)", "Bash(cat:*)"], "cat a | xargs sh -c", false],
    [["Bash(git:*)"], "git log", true],
    [["Bash(git:*)"], "git -c core.pager='rm x' log", false],
    [["Bash(git:*)"], "git zzz", false],
    [["Bash(git log:*)"], "git log -p", true],
    [["Bash(git log:*)"], "git -C x log", false],
    [["Bash(node:*)"], "node -e 'x'", false],
    [["Bash(sed:*)"], "sed 's/a/b/' x", true],
    [["Bash(sed:*)"], "sed '1e rm x' x", false],
    [["Bash(awk:*)"], "awk 'BEGIN{system(\"x\")}'", false],
    [["Bash(tar:*)"], "tar xf a --to-command=rm", false],
    [["Bash(rm:*)"], "/tmp/evil/rm x", false],
    [["Bash(ls:*)"], "ls() { rm x; }; ls", false],
    [["Bash(git *)"], "git push --force", false],
    [["Bash(git *)"], "git", true],
    [["Bash(git *)"], "gitk", false],
    [["Bash(git * main)"], "git push origin main", true],
    [["Bash(git * main)"], "git push origin main2", false],
    [["Bash(ls*)"], "lsof", true],
    [["Bash(npm test)"], "npm test", true],
    [["Bash(npm test)"], "npm test x", false],
    [["Bash(npm test)"], "npm test && npm test", true],
    [["Bash(ls > out && cat out)"], "ls > out && cat out", true],
    [["Bash(ls > out && cat out)"], "ls > out && cat out2", false],
    [["Bash(ls \\*)"], "ls *", true],
    [["Bash(ls \\*)"], "ls a", false],
    [["Bash(echo a:*)"], "echo a $x", true],
    [["Bash($x:*)"], "$x y", false],
  ])("%j: %s", (texts, command, expected) => {
    const rules = texts.map(rule).filter((parsed) => parsed.kind === "command");
    expect(allowsCommand(rules, command, { folder: FOLDER }) !== undefined).toBe(expected);
  });
});

describe("commands that are denied", () => {
  test.each<[string, string, boolean]>([
    ["Bash(rm:*)", "rm x", true],
    ["Bash(rm:*)", "ls && rm x", true],
    ["Bash(rm:*)", "ls $(rm x)", true],
    ["Bash(rm:*)", "ls `rm x`", true],
    ["Bash(rm:*)", "cat <<E\n$(rm x)\nE", true],
    ["Bash(rm:*)", "r\\m x", true],
    ["Bash(rm:*)", "'rm' x", true],
    ["Bash(rm:*)", "/bin/rm x", true],
    ["Bash(rm:*)", "sudo rm x", true],
    ["Bash(rm:*)", "sudo -u a env B=1 timeout 5 rm x", true],
    ["Bash(rm:*)", "xargs rm", true],
    ["Bash(rm:*)", "sh -c 'cd a; rm x'", true],
    ["Bash(rm:*)", "find . -exec rm {} +", true],
    ["Bash(rm:*)", "eval 'rm x'", true],
    ["Bash(rm:*)", "f() { rm x; }", true],
    ["Bash(rm:*)", "A=1 rm x", true],
    ["Bash(rm:*)", "> a rm x", true],
    ["Bash(rm:*)", "{rm,x}", true],
    ["Bash(rm:*)", "git rm x", false],
    ["Bash(rm:*)", "echo rm x", false],
    ["Bash(rm:*)", "rmdir x", false],
    ["Bash(rm -rf:*)", "rm   -rf x", true],
    ["Bash(rm -rf:*)", "rm '-rf' x", true],
    ["Bash(git push:*)", "git push", true],
    ["Bash(git push:*)", "git -C a --no-pager push", true],
    ["Bash(git push:*)", "git -c a=b push", true],
    ["Bash(git push:*)", "git pull", false],
    ["Bash(npm publish:*)", "npm --silent publish", true],
    ["Bash(sudo:*)", "sudo ls", true],
    ["Bash(curl * | sh)", "curl x | sh", true],
    ["Bash(*secret*)", "cat my-secret-file", true],
    ["Bash(ls)", "ls", true],
    ["Bash(ls)", "ls -la", false],
  ])("%s: %s", (text, command, expected) => expect(denies(text, bash(command))).toBe(expected));
});

describe("the rule that a person would grant", () => {
  const strange = "src/[id] (x)*{y}?.ts";
  test.each<[string, CallInQuestion, string | undefined]>([
    ["a command", bash("npm test"), "Bash(npm test)"],
    ["a line", bash("ls > a && cat a"), "Bash(ls > a && cat a)"],
    ["stars", bash("ls *.ts"), "Bash(ls \\*.ts)"],
    ["escaped stars", bash("find . -name \\*.ts"), "Bash(find . -name \\\\*.ts)"],
    ["like a prefix", bash("echo a:*"), "Bash(echo a:\\*)"],
    ["a variable as an argument", bash('for f in *.js; do cat "$f"; done'), 'Bash(for f in \\*.js; do cat "$f"; done)'],
    ["a name known at run time", bash("$x"), undefined],
    ["a script known at run time", bash('sh -c "$x"'), undefined],
    ["a dangerous variable", bash("PATH=. ls"), undefined],
    ["what cannot be parsed", bash("ls ("), undefined],
    ["nothing", bash("  "), undefined],
    ["hidden characters", bash("ls \u202e"), undefined],
    ["too long", bash(`ls ${"x".repeat(500)}`), undefined],
    ["an edit", edit("src/a.ts"), "Edit(src/a.ts)"],
    ["a write", edit("a.ts", "Write"), "Edit(a.ts)"],
    ["a strange name", edit(strange), "Edit(src/\\[id\\] (x)\\*\\{y\\}\\?.ts)"],
    ["a tilde", edit("~x"), "Edit(./~x)"],
    ["a protected file", edit(".git/config"), "Edit(.git/config)"],
    ["a read", call("Read", { tier: "execute", paths: [at("a.ts", "read")] }), "Read(a.ts)"],
    ["a search of everything", call("Grep", { tier: "execute", paths: [at("", "read")] }), "Read(.)"],
    ["two paths", call("Edit", { tier: "write", paths: [at("a", "write"), at("b", "write")] }), undefined],
    [
      "a sub-agent",
      call("Agent", { input: { prompt: "p", description: "d" } }),
      'Task({"description":"d","prompt":"p"})',
    ],
    [
      "a page's tool",
      call("mcp__page__add_viewer", { input: { type: "Grid", options: { b: 1, a: [2] } } }),
      'mcp__page__add_viewer({"options":{"a":[2],"b":1},"type":"Grid"})',
    ],
    [
      "a page's tool with more than a rule can show",
      call("mcp__page__add", { input: { text: "x".repeat(600) } }),
      undefined,
    ],
    ["a tool with a strange name", call("a*b"), undefined],
    ["a question", call("AskUserQuestion", { alwaysAsks: true }), undefined],
  ])("%s", (_name, tried, expected) => expect(sessionRule(tried, context())).toBe(expected));

  test("a host", () => {
    const profile = { web_hosts: ["*"] };
    expect(sessionRule(fetching("Example.org"), context(profile, { autonomy: "restricted" }))).toBe(
      "WebFetch(domain:example.org)",
    );
  });

  test("none, where a rule asks anyway", () => {
    expect(sessionRule(bash("npm test"), context({ ask: ["Bash(npm:*)"] }))).toBe(undefined);
  });
});
