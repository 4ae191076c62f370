import { describe, expect, it } from "vitest";
import { Failure } from "../../src/protocol/index.ts";
import { requestOf } from "../../src/web/console/pages/new/draft-request.ts";
import { draftOf, EMPTY, problemsOf, toolNames, type Draft } from "../../src/web/console/pages/new/draft.ts";

const FULL: Draft = {
  prompt: "Fix the tests",
  engine: "loop",
  provider: "cloud",
  model: "claude-sonnet-5",
  workspace: "/srv/code",
  sandbox: "local",
  network: "",
  workspaceMode: "snapshot",
  repoFilter: "strict",
  review: "at_end",
  mode: "bypassPermissions",
  autonomy: "supervised",
  budget: "2.50",
  profile: "guarded",
  tools: "Read, Bash",
  systemPrompt: "Be brief.",
  instructions: "off",
  maxTurns: "30",
  maxTokens: "4000",
  thinkingTokens: "2048",
  unattended: "park",
  askReads: true,
};

describe("the form of a new session", () => {
  it("asks for no more than was filled in", () => {
    expect(requestOf({ ...EMPTY, prompt: "Hello" }, [])).toEqual({
      session: { prompt: { text: "Hello" }, permission_mode: "sdk" },
    });
  });

  it("says everything that was filled in, and is filled from it again", () => {
    const attachment = { type: "text", text: "log", name: "a.log" } as const;
    const request = requestOf(FULL, [attachment]);
    expect(request).toEqual({
      session: {
        prompt: { text: "Fix the tests", attachments: [attachment] },
        engine: "loop",
        provider: "cloud",
        model: "claude-sonnet-5",
        workspace: "/srv/code",
        sandbox: "local",
        workspace_mode: "snapshot",
        repo_filter: "strict",
        review: "at_end",
        permission_mode: "bypassPermissions",
        autonomy: "supervised",
        max_cost_microusd: 2_500_000,
        profile: "guarded",
        tools: ["Read", "Bash"],
        system_prompt: "Be brief.",
        instructions: "off",
        max_turns: 30,
        max_tokens: 4_000,
        thinking_tokens: 2_048,
        unattended: "park",
        ask_reads: true,
      },
    });
    expect(request.problems === undefined && draftOf(request.session)).toEqual(FULL);
  });

  it.each<[string, Partial<Draft>, object]>([
    ["no prompt", { prompt: "  \n" }, { prompt: "Describe what the agent should do." }],
    [
      "numbers that are none",
      { budget: "2 dollars", maxTurns: "1.5" },
      {
        budget: "Enter dollars, such as 2 or 0.50, with at most six decimals.",
        maxTurns: "Enter a whole number.",
      },
    ],
  ])("%s is told at its field", (_, change, problems) => {
    expect(requestOf({ ...EMPTY, prompt: "x", ...change }, [])).toEqual({ problems });
  });

  it.each<[keyof Draft, Partial<Draft>]>([
    ["maxTurns", { maxTurns: "1001" }],
    ["maxTokens", { maxTokens: "0" }],
    ["thinkingTokens", { thinkingTokens: "100" }],
    ["tools", { tools: "x".repeat(201) }],
    ["workspace", { workspace: "/".repeat(5_000) }],
    ["model", { model: "m".repeat(300) }],
  ])("the protocol's bound of %s is told at the field", (field, change) => {
    const { problems } = requestOf({ ...EMPTY, prompt: "x", ...change }, []);
    expect(Object.keys(problems ?? {})).toEqual([field]);
  });

  it.each([
    ["2", 2_000_000],
    ["0.50", 500_000],
    ["$12.345678", 12_345_678],
    [" 8.2 ", 8_200_000],
    ["1.005", 1_005_000],
    ["0", 0],
  ])("a budget of %s is exact", (budget, microusd) => {
    const request = requestOf({ ...EMPTY, budget }, [], { forTemplate: true });
    expect(request).toEqual({ session: { permission_mode: "sdk", max_cost_microusd: microusd } });
  });

  it.each(["0,5", "10,00", "-1", "1.2345678", "1e3", "ten", "."])("a budget of %s is refused", (budget) => {
    const { problems } = requestOf({ ...EMPTY, budget }, [], { forTemplate: true });
    expect(Object.keys(problems ?? {})).toEqual(["budget"]);
  });

  it("needs no prompt for a template", () => {
    expect(requestOf(EMPTY, [], { forTemplate: true })).toEqual({ session: { permission_mode: "sdk" } });
  });

  it("takes names of tools however they are written", () => {
    expect(toolNames(" Read,Bash\n Read  mcp__x__* ,")).toEqual(["Read", "Bash", "mcp__x__*"]);
  });
});

describe("a refusal of the server", () => {
  it.each<[Failure, object]>([
    [
      new Failure("workspace_missing", "the workspace /x does not exist"),
      { workspace: "The workspace /x does not exist" },
    ],
    [new Failure("model_unpriced", "the model has no price"), { model: "The model has no price" }],
    [new Failure("wire_unsupported", "choose another"), { provider: "Choose another" }],
    [new Failure("max_cost_required", "add it"), { budget: "Add it" }],
    [new Failure("shutting_down", "come back later"), { form: "Come back later" }],
    [
      new Failure("invalid_request", "prompt.text: too long", [
        { path: "prompt.text", message: "too long" },
        { path: "prompt.attachments.3.data", message: "must be base64" },
        { path: "tools.7", message: "too short" },
        { path: "max_cost_microusd", message: "not whole" },
        { path: "max_cost_microusd", message: "and more" },
        { path: "", message: "Unrecognized key" },
      ]),
      {
        prompt: "Too long",
        attachments: "Must be base64",
        tools: "Too short",
        budget: "Not whole",
        form: ": Unrecognized key",
      },
    ],
    [new Failure("invalid_request", "not JSON", "odd details"), { form: "Not JSON" }],
  ])("%s stands at what it is about", (failure, problems) => {
    expect(problemsOf(failure)).toEqual(problems);
  });
});
