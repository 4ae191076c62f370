import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluate, narrow, parseRule, type CallInQuestion, type PolicyContext } from "../../src/gate/index.ts";
import { sessionRule } from "../../src/gate/session-rule.ts";
import { AUTONOMY_ORDER, Failure, PermissionMode, Role, Ruling, type Profile } from "../../src/protocol/index.ts";
import { isFullRun } from "../support/sample.ts";
import { bash, call, edit, fetching, read, context } from "./stand.ts";

const settings = { seed: 99, numRuns: isFullRun ? 2_000 : 300 } as const;
const pairs = { ...settings, numRuns: isFullRun ? 4_000 : 600 } as const;

const command = fc.oneof(
  fc.constantFrom(
    "ls",
    "npm test",
    "rm x",
    "sudo rm x",
    "git push",
    "ls *",
    "ls > a",
    "$x",
    "ls (",
    "cat .env",
    "sh -c 'rm x'",
    "node -e 1",
    "PATH=. ls",
    "a:*",
    "echo \\*",
  ),
  fc.string({ maxLength: 20 }),
);
const path = fc.oneof(
  fc.constantFrom(
    "a.ts",
    "src/a.ts",
    "src/b/c.ts",
    ".env",
    ".git/config",
    "/etc/passwd",
    "src/[x].ts",
    "a*b",
    "~x",
    "app/(g)/p.ts",
    "x{1,2}",
    "",
  ),
  fc.stringMatching(/^[\w.*?[\]{}() \\-]{1,10}$/).filter((text) => !/^\.{1,2}$/.test(text)),
);
const tried: fc.Arbitrary<CallInQuestion> = fc.oneof(
  command.map((text) => bash(text)),
  path.map((text) => edit(text)),
  path.map((text) => edit(text, "Write")),
  path.map((text) => read(text)),
  path.map((text) => read(text, "Grep")),
  fc.constantFrom("example.org", "a.b").map(fetching),
  fc
    .constantFrom("Task", "mcp__git__push", "AskUserQuestion")
    .map((tool) => call(tool, { alwaysAsks: tool === "AskUserQuestion" })),
);
const RULES = [
  "Bash",
  "Bash(*)",
  "Bash(ls:*)",
  "Bash(npm test)",
  "Bash(rm:*)",
  "Bash(git *)",
  "Bash(*x*)",
  "Edit",
  "Edit(src/**)",
  "Edit(**)",
  "Edit(a.ts)",
  "Read",
  "Read(.env)",
  "Read(src/**)",
  "Write(./**)",
  "WebFetch(domain:example.org)",
  "WebFetch",
  "*",
  "mcp__git__*",
  "Task",
  "Bash(",
  "x y",
];
const rule = fc.oneof(fc.constantFrom(...RULES), fc.string({ maxLength: 12 }));
const rules = fc.array(rule, { maxLength: 3 });
const profile: fc.Arbitrary<Profile> = fc.record(
  {
    allow: rules,
    ask: rules,
    deny: rules,
    tools: fc.array(fc.constantFrom("*", "Bash", "Edit", "Read", "mcp__*"), { maxLength: 3 }),
    hooks: fc.constant<["guarded"]>(["guarded"]),
    web_hosts: fc.constantFrom<string[]>(["*"], ["example.org"], []),
    autonomy: fc.constantFrom(...AUTONOMY_ORDER),
    max_autonomy: fc.constantFrom(...AUTONOMY_ORDER),
  },
  { requiredKeys: [] },
);
const where: fc.Arbitrary<PolicyContext> = fc
  .record({
    profile,
    autonomy: fc.constantFrom(...AUTONOMY_ORDER),
    acceptEdits: fc.boolean(),
    neverAsk: fc.boolean(),
    askReads: fc.boolean(),
    grants: rules,
    tools: fc.option(fc.array(fc.constantFrom("*", "Bash", "Edit", "Read"), { maxLength: 3 }), { nil: undefined }),
  })
  .map(({ profile: given, ...more }) => context(given, more));

const ORDER = ["deny", "ask", "allow"];
const rank = (effect: string): number => ORDER.indexOf(effect);

describe("the pipeline", () => {
  test("answers every call, with a reason", () => {
    fc.assert(
      fc.property(tried, where, (one, stand) => {
        const ruling = evaluate(one, stand);
        expect(Ruling.parse(ruling)).toEqual(ruling);
        expect(ruling.why).not.toBe("");
      }),
      settings,
    );
  });

  test("is not opened by a deny rule, an ask rule or a shorter list of tools", () => {
    fc.assert(
      fc.property(tried, where, rule, (one, stand, more) => {
        const before = rank(evaluate(one, stand).effect);
        const denied = { ...stand, profile: { ...stand.profile, deny: [...(stand.profile.deny ?? []), more] } };
        const asked = { ...stand, profile: { ...stand.profile, ask: [...(stand.profile.ask ?? []), more] } };
        const fewer = { ...stand, tools: (stand.tools ?? ["*"]).slice(1) };
        expect([denied, asked, fewer].filter((stricter) => rank(evaluate(one, stricter).effect) > before)).toEqual([]);
      }),
      settings,
    );
  });

  test("is not closed by an allow rule or a grant", () => {
    fc.assert(
      fc.property(tried, where, rule, (one, stand, more) => {
        const before = rank(evaluate(one, stand).effect);
        const allowed = { ...stand, profile: { ...stand.profile, allow: [...(stand.profile.allow ?? []), more] } };
        const granted = { ...stand, grants: [...stand.grants, more] };
        expect([allowed, granted].filter((wider) => rank(evaluate(one, wider).effect) < before)).toEqual([]);
      }),
      settings,
    );
  });

  test("lets nothing out of the workspace be written, and no denied tool run", () => {
    fc.assert(
      fc.property(where, path, (stand, name) => {
        const outside = call("Write", {
          tier: "write",
          paths: [{ given: name, real: `/outside/${name}`, access: "write" }],
        });
        expect(evaluate(outside, stand).effect).toBe("deny");
        const denied = { ...stand, profile: { ...stand.profile, deny: ["Edit"] } };
        expect(evaluate(edit(name), denied).effect).toBe("deny");
      }),
      settings,
    );
  });
});

describe("the rule that is shown is the rule that is granted", () => {
  test("it allows this call again", () => {
    fc.assert(
      fc.property(tried, where, (one, stand) => {
        const shown = sessionRule(one, stand);
        if (shown === undefined) return;
        expect(parseRule(shown)).not.toHaveProperty("error");
        expect(evaluate(one, { ...stand, grants: [...stand.grants, shown] }).effect).toBe("allow");
      }),
      settings,
    );
  });

  test("and no other command, file or host", () => {
    fc.assert(
      fc.property(tried, tried, (one, other) => {
        const shown = sessionRule(one, context({ web_hosts: ["*"] }, { autonomy: "restricted" }));
        if (shown === undefined || !shown.includes("(")) return;
        const granted = context({ web_hosts: ["*"] }, { autonomy: "restricted", grants: [shown] });
        if (evaluate(other, granted).effect !== "allow") return;
        const subject = ({ input, paths, hosts }: CallInQuestion) => [
          typeof input["command"] === "string" ? input["command"].trim() : "",
          paths.map(({ real }) => real),
          hosts,
        ];
        expect([shown, subject(other)]).toEqual([shown, subject(one)]);
      }),
      pairs,
    );
  });

  test("also for names that look like patterns", () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const shown = sessionRule(edit(one), context());
        if (shown === undefined) return;
        const allowed = evaluate(edit(other), context({}, { grants: [shown] })).effect === "allow";
        const same = edit(one).paths[0]?.real === edit(other).paths[0]?.real;
        expect([shown, other, allowed]).toEqual([shown, other, same]);
      }),
      pairs,
    );
  });

  test("also for commands that look like patterns", () => {
    const line = fc.stringMatching(/^[ab*:\\ ;|]{1,6}$/);
    fc.assert(
      fc.property(line, line, (one, other) => {
        const shown = sessionRule(bash(one), context());
        if (shown === undefined) return;
        const allowed = evaluate(bash(other), context({}, { grants: [shown] })).effect === "allow";
        expect([shown, other, allowed]).toEqual([shown, other, one.trim() === other.trim()]);
      }),
      pairs,
    );
  });
});

test("narrowing never widens", () => {
  const request = fc.record(
    {
      autonomy: fc.constantFrom(...AUTONOMY_ORDER),
      permission_mode: fc.constantFrom(...PermissionMode.options),
      tools: fc.array(fc.constantFrom("Read", "Edit", "Bash", "*"), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(profile, request, fc.constantFrom(...Role.options), tried, (given, asked, role, one) => {
      const usual = given.autonomy ?? "supervised";
      const limit = role === "admin" ? "full" : role === "operator" ? (given.max_autonomy ?? usual) : usual;
      const most = Math.min(AUTONOMY_ORDER.indexOf(limit), AUTONOMY_ORDER.indexOf(given.max_autonomy ?? "full"));
      let narrowed: ReturnType<typeof narrow>;
      try {
        narrowed = narrow(given, asked, { role });
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
        return;
      }
      expect(AUTONOMY_ORDER.indexOf(narrowed.autonomy)).toBeLessThanOrEqual(most);
      const widest = context(given, { autonomy: AUTONOMY_ORDER[most] ?? "read_only" });
      const effect = evaluate(one, context(given, narrowed)).effect;
      expect(rank(effect)).toBeLessThanOrEqual(rank(evaluate(one, widest).effect));
    }),
    settings,
  );
});
