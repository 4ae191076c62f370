import { describe, expect, test } from "vitest";
import { Failure, Profile, type Policy } from "../../src/protocol/index.ts";
import { diffLines } from "../../src/web/console/pages/policy/diff-lines.ts";
import {
  changedProfiles,
  layerToSend,
  nameProblem,
  policyYaml,
  problemsAt,
  problemsOf,
  samePolicy,
  withEntries,
  withField,
} from "../../src/web/console/pages/policy/draft.ts";
import { FIELD_GROUPS } from "../../src/web/console/pages/policy/field-groups.ts";
import { PROFILE_FIELDS } from "../../src/web/console/pages/policy/fields.ts";
import { readNumber, writeNumber } from "../../src/web/console/pages/policy/numbers.ts";
import { stepStates } from "../../src/web/console/pages/policy/pipeline.ts";
import { exampleOf, parseInput } from "../../src/web/console/pages/policy/tool-forms.ts";
import { valueWords } from "../../src/web/console/pages/policy/value-words.ts";

describe("the form", () => {
  test("has a place for every setting of a profile", () => {
    const shown = ["description", ...FIELD_GROUPS.flatMap(({ fields }) => fields)];
    expect(shown.toSorted()).toEqual(Object.keys(Profile.shape).toSorted());
    expect(Object.keys(PROFILE_FIELDS).toSorted()).toEqual(Object.keys(Profile.shape).toSorted());
  });

  test("a setting is set and taken out", () => {
    const profile = withField({ allow: ["Read"] }, "max_turns", 3);
    expect(profile).toEqual({ allow: ["Read"], max_turns: 3 });
    expect(withField(profile, "allow", undefined)).toEqual({ max_turns: 3 });
  });

  test("pasted text becomes entries, each once", () => {
    expect(withEntries(["Read"], " Bash(ls)\n\nRead\n Write ")).toEqual(["Read", "Bash(ls)", "Write"]);
  });

  test.each([
    ["dollars", "2.50", { value: 2_500_000 }],
    ["dollars", "two", { wrong: "Enter dollars, such as 2.50, with at most six decimals." }],
    ["count", "1,000", { value: 1_000 }],
    ["count", "1.5", { wrong: "Enter a whole number." }],
    ["seconds", "0.5", { value: 500 }],
    ["seconds", "", { value: undefined }],
  ] as const)("%s %s", (kind, text, read) => {
    expect(readNumber(kind, text)).toEqual(read);
  });

  test("a number is written as it is read", () => {
    expect([writeNumber("dollars", 10_000), writeNumber("count", 7), writeNumber("seconds", 1_500)]).toEqual([
      "0.01",
      "7",
      "1.5",
    ]);
  });

  test.each([
    ["max_cost_microusd", 2_500_000, "$2.50"],
    ["max_cost_microusd", undefined, "no limit"],
    ["unattended", "park", "park: wait indefinitely"],
    ["session_rate", { requests_per_minute: 1_200 }, "1,200 requests per minute"],
    ["hooks", ["guarded"], "on"],
    ["require_max_cost", true, "yes"],
    ["approval_timeout_ms", 900_000, "900 s"],
    ["allow", ["Read", "Glob"], "Read, Glob"],
  ] as const)("%s in words", (name, value, text) => {
    expect(valueWords(PROFILE_FIELDS[name], value)).toBe(text);
  });

  test.each([
    ["team", undefined],
    ["full", "A profile with this name exists."],
    ["no spaces", "Use letters, digits, _ and -, starting with a letter or digit; at most 100."],
    ["", "Use letters, digits, _ and -, starting with a letter or digit; at most 100."],
  ])("a profile named %s", (name, problem) => {
    expect(nameProblem(name, ["full"])).toBe(problem);
  });
});

const policy = (more: Partial<Policy> = {}): Policy => ({
  default_profile: "full",
  profiles: { full: {}, readonly: { tools: ["Read"] } },
  ...more,
});

describe("saving", () => {
  test("the order of settings and profiles is no change", () => {
    const left = policy({ profiles: { a: { allow: ["Read"], max_turns: 1 }, b: {} } });
    const right = policy({ profiles: { b: {}, a: { max_turns: 1, allow: ["Read"] } }, budget: {} });
    expect(samePolicy(left, right)).toBe(true);
    expect(changedProfiles(left, right)).toEqual([]);
  });

  test("only what was changed is sent: what ships keeps following its source", () => {
    const draft = policy({ profiles: { full: { max_turns: 9 }, readonly: { tools: ["Read"] } } });
    expect(layerToSend({ stored: undefined, before: policy(), draft })).toEqual({
      default_profile: "full",
      profiles: { full: { max_turns: 9 } },
    });
  });

  test("fields that were set stay set, and removed ones are not sent", () => {
    const before = policy({ profiles: { full: {}, team: { max_turns: 1 }, old: {} }, budget: { total_microusd: 5 } });
    const stored = {
      default_profile: "full",
      profiles: { team: { max_turns: 1 }, old: {} },
      budget: { total_microusd: 5 },
    };
    const draft = policy({
      default_profile: "team",
      profiles: { full: {}, team: { max_turns: 1 } },
      budget: { total_microusd: 5 },
    });
    expect(layerToSend({ stored, before, draft })).toEqual({
      default_profile: "team",
      profiles: { team: { max_turns: 1 } },
      budget: { total_microusd: 5 },
    });
  });

  test("a limit for everybody that is taken out is sent as none, not left to what lies below", () => {
    expect(
      layerToSend({ stored: undefined, before: policy({ budget: { per_day_microusd: 1 } }), draft: policy() }),
    ).toEqual({
      default_profile: "full",
      profiles: {},
      budget: {},
    });
  });

  test("the diff shows the lines that change, with what is far from them left out", () => {
    const before = policy({ profiles: { a: { allow: ["1", "2", "3", "4", "5", "6", "7", "8"] } } });
    const after = policy({ profiles: { a: { allow: ["0", "2", "3", "4", "5", "6", "7", "8"], max_turns: 2 } } });
    const lines = diffLines(policyYaml(before), policyYaml(after));
    expect(lines.filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "removed", text: '      - "1"' },
      { kind: "added", text: '      - "0"' },
      { kind: "added", text: "    max_turns: 2" },
    ]);
    expect(diffLines("a\n", "a\n")).toEqual([]);
  });
});

describe("what the server refuses", () => {
  test("a rule is marked in its list", () => {
    const failure = new Failure("invalid_request", "policy profiles.team.allow.1: the rule Bash( is not valid: x", {
      path: ["profiles", "team", "allow", 1],
    });
    const problems = problemsOf(failure);
    expect(problems).toEqual([{ path: "profiles.team.allow.1", message: "the rule Bash( is not valid: x" }]);
    expect(problemsAt(problems, "profiles.team.allow")).toEqual([
      { message: "the rule Bash( is not valid: x", index: 1 },
    ]);
    expect(problemsAt(problems, "profiles.team.al")).toEqual([]);
  });

  test("each place that a schema names gets its words", () => {
    const failure = new Failure("invalid_request", "profiles.team.max_turns: too big", [
      { path: "profiles.team.max_turns", message: "too big" },
      { path: "profiles.team.session_rate.requests_per_minute", message: "too small" },
    ]);
    const problems = problemsOf(failure);
    expect(problemsAt(problems, "profiles.team.max_turns")).toEqual([{ message: "too big" }]);
    expect(problemsAt(problems, "profiles.team.session_rate")).toEqual([{ message: "too small" }]);
  });

  test("a message without a place is kept, and anything that is not a refusal is ignored", () => {
    expect(problemsOf(new Failure("forbidden", "no"))).toEqual([{ path: "", message: "no" }]);
    expect(problemsOf(new TypeError("network"))).toEqual([]);
  });
});

describe("what would happen", () => {
  test.each([
    [{ effect: "deny", step: "policy" }, ["passed", "passed", "refused", ...Array<string>(7).fill("not reached")]],
    [
      { effect: "ask", step: "autonomy" },
      ["passed", "passed", "passed", "passed", "passed", "asks", "waits", "follows", "follows", "follows"],
    ],
    [
      { effect: "allow", step: "autonomy" },
      ["passed", "passed", "passed", "passed", "passed", "allowed", "skipped", "follows", "follows", "follows"],
    ],
  ] as const)("%j", (ruling, states) => {
    expect(stepStates(ruling)).toEqual(states);
  });

  test("fields begin with examples, JSON with words on what is wrong", () => {
    expect(exampleOf("Bash")).toEqual({ command: "npm test" });
    expect(exampleOf("mcp__x__y")).toEqual({});
    expect(parseInput('{"a":1}')).toEqual({ input: { a: 1 } });
    expect(parseInput("[1]")).toEqual({ wrong: 'The input is a JSON object, such as {"command": "ls"}.' });
    expect(parseInput("{")).toHaveProperty("wrong");
  });
});
