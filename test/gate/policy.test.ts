import { describe, expect, test } from "vitest";
import {
  BUILTIN_PROFILES,
  claudeSettings,
  DEFAULT_POLICY,
  evaluate,
  may,
  modeEffects,
  narrow,
  narrowTools,
  parsePolicyYaml,
  ROLE_CAN,
  validatePolicy,
  type Capability,
} from "../../src/gate/index.ts";
import { Failure, Role, type Policy, type Profile } from "../../src/protocol/index.ts";
import { bash, call, edit, read, context } from "./stand.ts";

function failureOf(run: () => unknown): { readonly code: string; readonly message: string; readonly details: unknown } {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("profiles that ship", () => {
  const tools: readonly string[] = [
    "Read",
    "Grep",
    "TodoWrite",
    "WebFetch",
    "mcp__page__list_rows",
    "Edit",
    "Write",
    "NotebookEdit",
    "Bash",
    "Task",
    "mcp__page__add_viewer",
  ];
  test.each<[keyof typeof BUILTIN_PROFILES, readonly string[]]>([
    ["readonly", ["Read", "Grep", "TodoWrite", "WebFetch", "mcp__page__list_rows"]],
    ["code-assist", ["Read", "Grep", "TodoWrite", "WebFetch", "mcp__page__list_rows", "Edit", "Write", "NotebookEdit"]],
    ["full", tools],
    ["guarded", tools],
  ])("%s", (name, given) => {
    const left = tools.filter((tool) => evaluate(call(tool), context(BUILTIN_PROFILES[name])).step !== "tool");
    expect(left).toEqual(given);
  });

  test("the default asks before it changes anything", () => {
    const profile = DEFAULT_POLICY.profiles[DEFAULT_POLICY.default_profile] ?? {};
    const { autonomy } = narrow(profile, {}, { role: "operator" });
    const effects = [read("a"), edit("a"), bash("ls")].map(
      (tried) => evaluate(tried, context(profile, { autonomy })).effect,
    );
    expect([DEFAULT_POLICY.default_profile, autonomy, effects]).toEqual([
      "full",
      "supervised",
      ["allow", "ask", "ask"],
    ]);
  });

  test("they are valid", () => {
    expect(() => validatePolicy(DEFAULT_POLICY)).not.toThrow();
  });
});

describe("a policy file", () => {
  test("is laid over the profiles that ship", () => {
    const text = `
default_profile: mine
profiles:
  mine:
    description: ours
    tools: [Read, "mcp__git__*"]
    allow: ["Bash(npm run test:*)", "Edit(src/**)"]
    autonomy: restricted
    max_autonomy: supervised
  full:
    deny: ["Bash(rm:*)"]
`;
    const { default_profile, profiles } = parsePolicyYaml(text);
    expect([
      default_profile,
      Object.keys(profiles).toSorted(),
      profiles["mine"],
      profiles["full"],
      profiles["guarded"],
    ]).toEqual([
      "mine",
      ["code-assist", "full", "guarded", "mine", "readonly", "server", "server-code-assist", "server-full", "visitor"],
      {
        description: "ours",
        tools: ["Read", "mcp__git__*"],
        allow: ["Bash(npm run test:*)", "Edit(src/**)"],
        autonomy: "restricted",
        max_autonomy: "supervised",
      },
      { deny: ["Bash(rm:*)"] },
      BUILTIN_PROFILES.guarded,
    ]);
  });

  test.each([[""], ["# nothing\n"], ["profiles: {}\n"], ["default_profile: full\n"]])("%j is the default", (text) => {
    expect(parsePolicyYaml(text)).toEqual(DEFAULT_POLICY);
  });

  test.each<[string, string, number, readonly (string | number)[]]>([
    [
      "profiles:\n  a:\n    allow:\n      - Bash(ls)\n      - Edit(~/x)\n",
      "policy, line 5: profiles.a.allow.1 the rule Edit(~/x) is not valid: ~ is not known here; write the absolute path",
      5,
      ["profiles", "a", "allow", 1],
    ],
    [
      "profiles:\n  a: { deny: ['Bash('] }\n",
      "policy, line 2: profiles.a.deny.0 the rule Bash( is not valid: the bracket is not closed",
      2,
      ["profiles", "a", "deny", 0],
    ],
    [
      "profiles:\n  a:\n    alow: []\n",
      "policy, line 3: profiles.a.alow is not a setting; did you mean allow?",
      3,
      ["profiles", "a", "alow"],
    ],
    ["profile: {}\n", "policy, line 1: profile is not a setting; did you mean profiles?", 1, ["profile"]],
    [
      "\n\nprofiles:\n  a:\n    tools: ['Bash(ls)']\n",
      "policy, line 5: profiles.a.tools.0 Bash(ls) is not a tool's name; rules stand in allow, ask and deny",
      5,
      ["profiles", "a", "tools", 0],
    ],
    [
      "profiles:\n  a:\n    autonomy: full\n    max_autonomy: supervised\n",
      "policy, line 3: profiles.a.autonomy full is more than max_autonomy allows (supervised)",
      3,
      ["profiles", "a", "autonomy"],
    ],
    [
      "profiles:\n  a:\n    extra_read: [docs]\n",
      "policy, line 3: profiles.a.extra_read.0 docs must be an absolute path",
      3,
      ["profiles", "a", "extra_read", 0],
    ],
    [
      "default_profile: nope\n",
      "policy, line 1: default_profile nope names no profile; there are: readonly, code-assist, full, guarded, server, server-code-assist, server-full, visitor",
      1,
      ["default_profile"],
    ],
    ["- a\n", "policy, line 1: must be a map with default_profile and profiles", 1, []],
    ["profiles: [a]\n", "policy, line 1: profiles must be a map of names to profiles", 1, ["profiles"]],
  ])("%j", (text, message, line, path) => {
    expect(failureOf(() => parsePolicyYaml(text))).toEqual({
      code: "invalid_request",
      message,
      details: { path, line },
    });
  });

  test("bad YAML, a wrong type, too many aliases, too long", () => {
    expect(failureOf(() => parsePolicyYaml("a: 1\na: 2\n"))).toMatchObject({
      code: "invalid_request",
      details: { line: 2 },
    });
    expect(failureOf(() => parsePolicyYaml("a: [\n"))).toMatchObject({ code: "invalid_request" });
    expect(failureOf(() => parsePolicyYaml("profiles:\n  a:\n    autonomy: godlike\n"))).toMatchObject({
      code: "invalid_request",
      details: { path: ["profiles", "a", "autonomy"], line: 3 },
    });
    const bomb = `a: &a [x]\n${Array.from({ length: 8 }, (_, index) => `b${index}: &b${index} [${`*${index === 0 ? "a" : `b${index - 1}`},`.repeat(9)}]`).join("\n")}\n`;
    expect(failureOf(() => parsePolicyYaml(bomb))).toMatchObject({ code: "invalid_request" });
    expect(failureOf(() => parsePolicyYaml("#".repeat(300_000)))).toMatchObject({ code: "payload_too_large" });
  });

  test("a policy that came another way is checked, too", () => {
    const wrong: Policy = { default_profile: "a", profiles: { a: { ask: ["x y"] } } };
    expect(failureOf(() => validatePolicy(wrong))).toEqual({
      code: "invalid_request",
      message:
        "policy profiles.a.ask.0: the rule x y is not valid: must begin with a tool's name, like Bash or Edit(src/**)",
      details: { path: ["profiles", "a", "ask", 0] },
    });
  });
});

describe("requests only narrow", () => {
  const forbidden = "forbidden";
  const of = (profile: Profile, request: Parameters<typeof narrow>[1], role: Role) => {
    try {
      return narrow(profile, request, { role });
    } catch (error) {
      return error instanceof Failure ? error.code : String(error);
    }
  };
  const plain = { acceptEdits: false, neverAsk: false };
  test.each<[Profile, Parameters<typeof narrow>[1], Role, unknown]>([
    [{}, {}, "operator", { autonomy: "supervised", ...plain }],
    [{}, {}, "agent", { autonomy: "supervised", ...plain }],
    [{}, { autonomy: "full" }, "admin", { autonomy: "full", ...plain }],
    [{}, { autonomy: "full" }, "operator", forbidden],
    [{ max_autonomy: "full" }, { autonomy: "full" }, "operator", { autonomy: "full", ...plain }],
    [{ autonomy: "full" }, { autonomy: "full" }, "operator", { autonomy: "full", ...plain }],
    [{}, { autonomy: "full" }, "visitor", forbidden],
    [{}, { autonomy: "full" }, "agent", forbidden],
    [{}, { autonomy: "restricted" }, "agent", { autonomy: "restricted", ...plain }],
    [{ autonomy: "full" }, {}, "agent", { autonomy: "full", ...plain }],
    [{ autonomy: "full" }, { autonomy: "full" }, "agent", { autonomy: "full", ...plain }],
    [{ max_autonomy: "supervised" }, { autonomy: "full" }, "admin", forbidden],
    [{ max_autonomy: "restricted" }, {}, "admin", { autonomy: "restricted", ...plain }],
    [{ autonomy: "restricted" }, { autonomy: "supervised" }, "agent", forbidden],
    [{ autonomy: "restricted" }, { autonomy: "supervised" }, "operator", forbidden],
    [{ autonomy: "restricted" }, { autonomy: "supervised" }, "admin", { autonomy: "supervised", ...plain }],
    [{}, { permission_mode: "default" }, "agent", { autonomy: "supervised", ...plain }],
    [{}, { permission_mode: "bypassPermissions" }, "admin", { autonomy: "full", ...plain }],
    [{}, { permission_mode: "bypassPermissions" }, "operator", forbidden],
    [{}, { permission_mode: "bypassPermissions" }, "agent", forbidden],
    [
      {},
      { permission_mode: "bypassPermissions", autonomy: "restricted" },
      "admin",
      { autonomy: "restricted", ...plain },
    ],
    [{}, { permission_mode: "sdk" }, "agent", { autonomy: "supervised", ...plain }],
    [{ autonomy: "full" }, { permission_mode: "sdk" }, "agent", { autonomy: "supervised", ...plain }],
    [{ autonomy: "restricted" }, { permission_mode: "sdk" }, "agent", { autonomy: "restricted", ...plain }],
    [{}, { permission_mode: "toolApproval" }, "operator", { autonomy: "supervised", ...plain }],
    [{}, { permission_mode: "mcpApproval" }, "operator", { autonomy: "supervised", ...plain }],
    [{}, { permission_mode: "mcpProxy" }, "operator", { autonomy: "supervised", ...plain }],
    [{}, { permission_mode: "acceptEdits" }, "admin", { autonomy: "supervised", acceptEdits: true, neverAsk: false }],
    [{}, { permission_mode: "acceptEdits" }, "agent", forbidden],
    [{}, { permission_mode: "acceptEdits" }, "operator", forbidden],
    [{ max_autonomy: "supervised" }, { permission_mode: "acceptEdits" }, "operator", forbidden],
    [{}, { permission_mode: "dontAsk" }, "agent", { autonomy: "supervised", acceptEdits: false, neverAsk: true }],
    [{}, { permission_mode: "plan" }, "agent", { autonomy: "supervised", ...plain }],
  ])("%j %j as %s", (profile, request, role, expected) => expect(of(profile, request, role)).toEqual(expected));

  test("plan reads and does nothing else", () => {
    const { autonomy } = narrow({}, { permission_mode: "plan" }, { role: "operator" });
    const tools = narrowTools({}, { permission_mode: "plan" });
    const effects = [read("a"), edit("a"), bash("ls")].map(
      (tried) => evaluate(tried, context({}, { autonomy, tools })).effect,
    );
    expect(effects).toEqual(["allow", "deny", "deny"]);
  });

  test.each<[Profile, Parameters<typeof narrowTools>[1], readonly string[] | undefined]>([
    [{}, {}, undefined],
    [{}, { tools: ["Read", "Edit"] }, ["Read", "Edit"]],
    [{}, { permission_mode: "plan", tools: ["Read", "Edit"] }, ["Read"]],
    [
      { tools: ["Read", "Edit"] },
      { permission_mode: "plan" },
      [
        "Read",
        "mcp__*__list_*",
        "mcp__*__describe_*",
        "mcp__*__find_*",
        "mcp__*__search_*",
        "mcp__*__get_available_viewers",
      ],
    ],
  ])("the tools of a session: %j %j", (profile, settings, expected) =>
    expect(narrowTools(profile, settings)).toEqual(expected),
  );

  test("what a mode changes beside autonomy", () => {
    expect([modeEffects(undefined), modeEffects("acceptEdits"), modeEffects("dontAsk")]).toEqual([
      plain,
      { acceptEdits: true, neverAsk: false },
      { acceptEdits: false, neverAsk: true },
    ]);
  });
});

describe("document 004's settings file", () => {
  const browser = ["navigate", "screenshot", "click", "fill", "select", "hover", "evaluate"].map(
    (verb) => `mcp__puppeteer__puppeteer_${verb}`,
  );
  test("to the letter", () => {
    expect(claudeSettings(BUILTIN_PROFILES.guarded)).toEqual({
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
      permissions: {
        defaultMode: "acceptEdits",
        allow: ["Read(./**)", "Write(./**)", "Edit(./**)", "Glob(./**)", "Grep(./**)", "Bash(*)", ...browser],
      },
    });
  });

  test("with less where the profile gives less, and with its rules", () => {
    const profile: Profile = {
      tools: ["Read", "Glob"],
      allow: ["Read(docs/**)"],
      ask: ["Glob"],
      deny: ["Read(.env)"],
      autonomy: "read_only",
    };
    expect(claudeSettings(profile)).toEqual({
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
      permissions: {
        defaultMode: "plan",
        allow: ["Read(./**)", "Glob(./**)", "Read(docs/**)"],
        ask: ["Glob"],
        deny: ["Read(.env)"],
      },
    });
  });
});

describe("roles", () => {
  // admin, operator, agent, viewer, visitor, issuer
  test.each<[Capability, string]>([
    ["session.create", "all all own no own no"],
    ["session.read", "all all own all own no"],
    ["session.control", "all all own no own no"],
    ["workspace.choose", "all all own no no no"],
    ["workspace.read", "all all own all no no"],
    ["workspace.open", "all all no no no no"],
    ["shell.use", "all all no no no no"],
    ["changes.decide", "all all no no no no"],
    ["changes.publish", "all all no no no no"],
    ["approval.read", "all all own all own no"],
    ["approval.decide", "all all no no own no"],
    ["approval.answer", "all all own no own no"],
    ["policy.read", "all all all all no no"],
    ["policy.write", "all no no no no no"],
    ["policy.test", "all all all all no no"],
    ["token.manage", "all own no no no no"],
    ["token.issue", "all all no no no own"],
    ["audit.read", "all all no all no no"],
    ["usage.read", "all all own all no no"],
    ["metrics.read", "all all no all no no"],
    ["provider.read", "all all no all no no"],
    ["provider.test", "all all no no no no"],
    ["connection.use", "all all own own no no"],
  ])("%s: %s", (capability, expected) => {
    expect(Role.options.map((role) => may(role, capability)).join(" ")).toBe(expected);
  });

  test("every role has an answer for every capability", () => {
    const known = Object.keys(ROLE_CAN.admin).toSorted();
    for (const role of Role.options) expect(Object.keys(ROLE_CAN[role]).toSorted()).toEqual(known);
  });
});

test("reports every mistake in a policy at once, in the order of its lines", () => {
  const text = [
    "defaultprofile: a",
    "profiles:",
    "  a:",
    "    alow: [Read]",
    "    autonomy: wild",
    "  b:",
    "    deny: ['Bash(', Read]",
    "    tools: ['Bash(ls)']",
    "    extra_read: [docs]",
    "    autonomy: full",
    "    max_autonomy: supervised",
  ].join("\n");
  expect(failureOf(() => parsePolicyYaml(text)).message.split("\n")).toEqual([
    "policy has 7 mistakes:",
    "  line 1: defaultprofile is not a setting; did you mean default_profile?",
    "  line 4: profiles.a.alow is not a setting; did you mean allow?",
    expect.stringContaining("  line 5: profiles.a.autonomy must be one of"),
    "  line 7: profiles.b.deny.0 the rule Bash( is not valid: the bracket is not closed",
    "  line 8: profiles.b.tools.0 Bash(ls) is not a tool's name; rules stand in allow, ask and deny",
    "  line 9: profiles.b.extra_read.0 docs must be an absolute path",
    "  line 10: profiles.b.autonomy full is more than max_autonomy allows (supervised)",
  ]);
});
