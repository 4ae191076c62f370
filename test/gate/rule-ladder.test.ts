import { describe, expect, it } from "vitest";
import { evaluate, sessionRules } from "../../src/gate/index.ts";
import { bash, call, context, edit } from "./stand.ts";

const rules = (...given: Parameters<typeof sessionRules>): readonly string[] =>
  sessionRules(...given).map(({ rule }) => rule);

describe("the rules that can be picked for a session, the narrowest first", () => {
  it.each<[command: string, ...offered: string[]]>([
    ["npm test", "Bash(npm test)", "Bash(npm test:*)"],
    ["npm run build", "Bash(npm run build)", "Bash(npm run build:*)"],
    ["npm test -- --watch", "Bash(npm test -- --watch)", "Bash(npm test:*)"],
    ["git commit -m hello", "Bash(git commit -m hello)", "Bash(git commit:*)"],
    ["node scripts/a.mjs x", "Bash(node scripts/a.mjs x)", "Bash(node scripts/a.mjs:*)"],
    ["npx vitest run a", "Bash(npx vitest run a)", "Bash(npx vitest:*)"],
    // An option before the subcommand says what it works on.
    ["git -C ../other commit", "Bash(git -C ../other commit)"],
    // What deletes, reaches the network, raises rights or leaves the workspace has no broader rule.
    ["rm -rf build", "Bash(rm -rf build)"],
    ["curl https://example.org", "Bash(curl https://example.org)"],
    ["sudo npm test", "Bash(sudo npm test)"],
    ["cat /etc/hosts", "Bash(cat /etc/hosts)"],
    ["npm install left-pad", "Bash(npm install left-pad)"],
    ["bash -c 'npm test'", "Bash(bash -c 'npm test')"],
    ["python -c 'print(1)'", "Bash(python -c 'print(1)')"],
    ["npm test && rm -rf x", "Bash(npm test && rm -rf x)"],
    // A target, a script or a subcommand belongs to the rule; without it there is none.
    ["make test", "Bash(make test)", "Bash(make test:*)"],
    ["make", "Bash(make)"],
    ["mvn test", "Bash(mvn test)", "Bash(mvn test:*)"],
    ["./gradlew test", "Bash(./gradlew test)", "Bash(./gradlew test:*)"],
    ["gradle -q test", "Bash(gradle -q test)"],
    ["sbt test", "Bash(sbt test)", "Bash(sbt test:*)"],
    ["gem list", "Bash(gem list)", "Bash(gem list:*)"],
    ["tool db reset", "Bash(tool db reset)", "Bash(tool db reset:*)"],
    ["kill 12", "Bash(kill 12)"],
    ["pkill node", "Bash(pkill node)"],
    ["tool plan", "Bash(tool plan)", "Bash(tool plan:*)"],
    ["./deploy.sh", "Bash(./deploy.sh)"],
    ["constructor run", "Bash(constructor run)", "Bash(constructor run:*)"],
    ["__proto__", "Bash(__proto__)"],
    ["mkdir -p src/new", "Bash(mkdir -p src/new)", "Bash(mkdir:*)"],
    // What throws changes away or changes other systems.
    ["git checkout main", "Bash(git checkout main)"],
    ["git reset --hard", "Bash(git reset --hard)"],
    ["docker ps", "Bash(docker ps)"],
    // Known only at run time.
    ["npm test $X", "Bash(npm test $X)"],
    ["$(which npm) test"],
  ])("%s", (command, ...offered) => {
    expect(rules(bash(command), context())).toEqual(offered);
  });

  it("of a file: it, its folder, the top folder, the workspace", () => {
    expect(rules(edit("src/web/a.ts"), context())).toEqual([
      "Edit(src/web/a.ts)",
      "Edit(src/web/**)",
      "Edit(src/**)",
      "Edit(**)",
    ]);
    expect(rules(edit("README.md"), context())).toEqual(["Edit(README.md)", "Edit(**)"]);
  });

  it("of a file that programs obey: only it", () => {
    expect(rules(edit(".git/hooks/pre-commit"), context())).toEqual(["Edit(.git/hooks/pre-commit)"]);
  });

  it("of a tool without a form of its own: this input, and every call", () => {
    expect(rules(call("mcp__app__count", { input: { n: 1 } }), context())).toEqual([
      'mcp__app__count({"n":1})',
      "mcp__app__count",
    ]);
  });

  it("offers nothing that the policy always asks about, or denies", () => {
    expect(rules(bash("npm test"), context({ ask: ["Bash(npm:*)"] }))).toEqual([]);
    expect(rules(edit("src/a.ts"), context({ deny: ["Edit(src/**)"] }))).toEqual([]);
  });
});

describe("a broader rule that was granted", () => {
  const granted = (...grants: string[]) => context({}, { grants });
  const effect = (command: string, ...grants: string[]): string => evaluate(bash(command), granted(...grants)).effect;

  it.each([
    ["npm test", "allow"],
    ["npm test -- --watch", "allow"],
    ["npm test src/a.test.ts", "allow"],
    ["npm test && npm test", "allow"],
    ["npm run deploy", "ask"],
    ["npm testing", "ask"],
    ["npm test && npm publish", "ask"],
    ["npm test; rm -rf x", "ask"],
    ["npm test > out.txt", "ask"],
    ["npm test $(cat x)", "ask"],
    ["FOO=1 npm test", "ask"],
    ["npm --prefix ../other test", "ask"],
    ["cd .. && npm test", "ask"],
  ])("npm test:* and %s: %s", (command, expected) => {
    expect(effect(command, "Bash(npm test:*)")).toBe(expected);
  });

  it("does not cover what deletes, although the words fit", () => {
    expect(effect("git clean -fd", "Bash(git clean:*)")).toBe("ask");
    expect(effect("rm a.txt", "Bash(rm:*)")).toBe("ask");
  });

  it("never goes past the policy", () => {
    const strict = context({ deny: ["Bash(npm test:*)"] }, { grants: ["Bash(npm test:*)"] });
    expect(evaluate(bash("npm test"), strict).effect).toBe("deny");
  });

  it("of a folder leaves files that programs obey alone", () => {
    const all = granted("Edit(**)");
    expect([evaluate(edit("src/a.ts"), all).effect, evaluate(edit(".husky/pre-push"), all).effect]).toEqual([
      "allow",
      "ask",
    ]);
  });
});
