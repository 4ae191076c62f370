import { describe, expect, test } from "vitest";
import { askDecision } from "../../src/cli/ask/dialog.ts";
import type { Approval, Decision } from "../../src/protocol/index.ts";
import { Stage, writeApproval } from "./stage.ts";

const PROMPT = "? help › ";

async function answers(
  approval: Approval,
  lines: readonly (readonly [string, string])[],
  edit?: (text: string, name: string) => Promise<string>,
): Promise<{ decision: Decision | undefined; stage: Stage }> {
  const stage = new Stage();
  const asked = askDecision({ approval, behind: 0 }, stage.asking(edit), new AbortController().signal);
  for (const [prompt, line] of lines) {
    await stage.reads(prompt);
    await stage.types(line);
  }
  return { decision: await asked, stage };
}

describe("an approval in the terminal", () => {
  test("shows what will happen, word for word", async () => {
    const { decision, stage } = await answers(writeApproval(), [[PROMPT, "y"]]);
    expect(decision).toEqual({ decision: "approve", input_hash: "hash", scope: "once" });
    expect(stage.text.split("\n")).toEqual([
      "",
      "? Write wants your yes apr_1 · 5:00 left",
      "  supervised: writes are asked for",
      "  /w/a.txt +1 −1",
      "  • keeps mode 755",
      "  --- a//w/a.txt",
      "  +++ b//w/a.txt",
      "  @@ -1 +1 @@",
      "  -old",
      "  +new",
      "Run it? y once · a session · e edit · n no · s stop · ? help › ",
    ]);
  });

  test.each<[string, readonly (readonly [string, string])[], Decision]>([
    [
      "a reason on the line",
      [[PROMPT, "n use tabs"]],
      { decision: "reject", input_hash: "hash", feedback: "use tabs" },
    ],
    [
      "a reason after it",
      [
        [PROMPT, "n"],
        ["Reason", "use tabs"],
      ],
      { decision: "reject", input_hash: "hash", feedback: "use tabs" },
    ],
    [
      "no reason",
      [
        [PROMPT, "no"],
        ["Reason", ""],
      ],
      { decision: "reject", input_hash: "hash" },
    ],
    ["stop", [[PROMPT, "s"]], { decision: "reject", input_hash: "hash", interrupt: true, hold_queue: true }],
    [
      "stop with a reason",
      [[PROMPT, "s enough"]],
      { decision: "reject", input_hash: "hash", feedback: "enough", interrupt: true, hold_queue: true },
    ],
    [
      "the session, after the rule was shown",
      [
        [PROMPT, "a"],
        ["y adds this rule until the session ends: Edit(/w/**)\nAdd it and run this call? y/n › ", "y"],
      ],
      { decision: "approve", input_hash: "hash", scope: "session" },
    ],
    [
      "the session, then not",
      [
        [PROMPT, "a"],
        ["y/n › ", "n"],
        [PROMPT, "y"],
      ],
      { decision: "approve", input_hash: "hash", scope: "once" },
    ],
    [
      "help, nonsense and an empty line, which all change nothing",
      [
        [PROMPT, "?"],
        ["n [reason]", "what"],
        ["type y, a, e", ""],
        [PROMPT, "y"],
      ],
      { decision: "approve", input_hash: "hash", scope: "once" },
    ],
  ])("%s", async (_what, lines, decision) => {
    expect((await answers(writeApproval(), lines)).decision).toEqual(decision);
  });

  test("a call without a better preview is shown whole, and a yes waits until it was", async () => {
    const note = Array.from({ length: 1_200 }, (_, index) => `line ${index}`);
    const { session_rule: _rule, ...approval } = writeApproval();
    const pay: Approval = {
      ...approval,
      tool: "mcp__shop__pay",
      input: { note, to: "LAST-IBAN" },
      preview: { type: "generic", summary: "{..." },
      broader_rule: "mcp__shop__pay",
    };
    const { decision, stage } = await answers(pay, [
      [PROMPT, "y"],
      ["this is not all of it: v shows the rest, and then you can say yes", "v"],
      ["Enter goes on, q stops › ", "q"],
      [PROMPT, "a"],
      ["this is not all of it", "v"],
      ["Enter goes on, q stops › ", ""],
      ["Enter goes on, q stops › ", ""],
      [PROMPT, "a"],
      ["b adds the rule for every call of the tool: mcp__shop__pay\nAdd it and run this call? b/n › ", "b"],
    ]);
    expect(decision).toEqual({ decision: "approve", input_hash: "hash", scope: "session", rule: "mcp__shop__pay" });
    expect(stage.text).toContain("LAST-IBAN");
  });

  test("what is not shown cannot be approved, only rejected or changed", async () => {
    const hidden = { ...writeApproval(), not_approvable: "A part of this call is a secret." };
    const { decision } = await answers(hidden, [
      [PROMPT, "y"],
      ["A part of this call is a secret.", "s"],
    ]);
    expect(decision).toEqual({ decision: "reject", input_hash: "hash", interrupt: true, hold_queue: true });
  });

  test("no rule is offered where none can be shown", async () => {
    const { session_rule: _rule, ...approval } = writeApproval();
    const { decision, stage } = await answers(approval, [
      [PROMPT, "a"],
      ["no rule can be shown safely for this call: y runs it once", "y"],
    ]);
    expect(decision).toEqual({ decision: "approve", input_hash: "hash", scope: "once" });
    expect(stage.text).not.toContain("Add it");
  });

  test("an edited file is shown as a new diff and asked about again", async () => {
    const edited: string[] = [];
    const { decision, stage } = await answers(
      writeApproval(),
      [
        [PROMPT, "e"],
        ["as you changed it?", "a"],
        ["the rule would be for the call before your changes: y runs it once", "y"],
      ],
      async (text, name) => {
        edited.push(`${name}: ${text}`);
        return "newer\n";
      },
    );
    expect(edited).toEqual(["a.txt: new"]);
    expect(decision).toEqual({
      decision: "approve",
      input_hash: "hash",
      updated_input: { file_path: "/w/a.txt", content: "newer" },
    });
    expect(stage.text).toContain("With your changes:\n  /w/a.txt +1 −1\n");
    expect(stage.text).toContain("  -old\n  +newer\n");
  });

  test("the whole input can be edited as JSON; what is not JSON is not taken", async () => {
    const texts = ["{", '{"file_path":"/w/b.txt","content":"new"}'];
    const { decision, stage } = await answers(
      writeApproval(),
      [
        [PROMPT, "E"],
        ["not taken: ", "E"],
        ["as you changed it?", "y"],
      ],
      async () => texts.shift() ?? "",
    );
    expect(decision).toEqual({
      decision: "approve",
      input_hash: "hash",
      updated_input: { file_path: "/w/b.txt", content: "new" },
    });
    expect(stage.text).toContain('"file_path": "/w/b.txt"');
  });

  test("an edited command is taken apart again", async () => {
    const command: Approval = writeApproval({
      tool: "Bash",
      input: { command: "ls" },
      preview: { type: "command", command: "ls", timeout_ms: 120_000, cwd: "/w", background: false, parts: [] },
    });
    const { decision, stage } = await answers(
      command,
      [
        [PROMPT, "e"],
        ["as you changed it?", "y"],
      ],
      async () => "rm -rf /etc\n",
    );
    expect(decision).toEqual({ decision: "approve", input_hash: "hash", updated_input: { command: "rm -rf /etc" } });
    expect(stage.text).toContain("$ rm -rf /etc\n");
    expect(stage.text).toContain("/etc (outside the workspace)");
    expect(stage.text).toContain("⚠ ");
  });

  test("a long diff is cut; v shows all of it", async () => {
    const diff = [
      "--- a/x",
      "+++ b/x",
      "@@ -0,0 +1,300 @@",
      ...Array.from({ length: 300 }, (_, index) => `+line ${index}`),
    ].join("\n");
    const file = {
      file_path: "x",
      is_new_file: true,
      original_content: "",
      new_content: "",
      diff,
      added: 300,
      removed: 0,
      effects: [],
    };
    const { stage } = await answers(writeApproval({ preview: { type: "diff", file, details: {} } }), [
      ["… 103 more lines: v shows them all", "v"],
      ["+line 299", "y"],
    ]);
    expect(stage.text.split("  x  NEW  +300 −0\n").length).toBe(3);
  });

  test("a question that was answered elsewhere is withdrawn", async () => {
    const stage = new Stage();
    const controller = new AbortController();
    const asked = askDecision({ approval: writeApproval(), behind: 2 }, stage.asking(), controller.signal);
    await stage.reads(PROMPT);
    expect(stage.text).toContain("2 more wait behind it");
    controller.abort();
    expect(await asked).toBeUndefined();
  });

  test("the end of the input withdraws it too", async () => {
    const stage = new Stage();
    const asked = askDecision({ approval: writeApproval(), behind: 0 }, stage.asking(), new AbortController().signal);
    await stage.reads(PROMPT);
    stage.input.end();
    expect(await asked).toBeUndefined();
    expect(stage.keyboard.closed).toBe(true);
  });

  test("the agent's own questions, with numbers and own words", async () => {
    const questions = [
      {
        question: "Which colour?",
        header: "Colour",
        options: [
          { label: "red", description: "warm" },
          { label: "blue", description: "" },
        ],
        multiSelect: false,
      },
      {
        question: "Which sizes?",
        header: "Sizes",
        options: [
          { label: "S", description: "" },
          { label: "M", description: "" },
        ],
        multiSelect: true,
      },
    ];
    const approval = writeApproval({
      tool: "AskUserQuestion",
      input: { questions },
      preview: { type: "question", questions },
    });
    const { decision, stage } = await answers(approval, [
      ["number · o own words", "7"],
      ['"7" is not a number from 1 to 2', "o green"],
      ["numbers · o own words", "1,2"],
    ]);
    expect(decision).toEqual({
      decision: "approve",
      input_hash: "hash",
      updated_input: { questions, answers: { "Which colour?": "green", "Which sizes?": ["S", "M"] } },
    });
    expect(stage.text).toContain("   Colour  Which colour?\n    1 red · warm\n    2 blue\n");
  });

  test("the agent's questions with one text keep their own answers", async () => {
    const options = ["Yes", "No"].map((label) => ({ label, description: "" }));
    const questions = [false, true].map((multiSelect) => ({ question: "Sure?", header: "H", options, multiSelect }));
    const approval = writeApproval({
      tool: "AskUserQuestion",
      input: { questions },
      preview: { type: "question", questions },
    });
    const { decision } = await answers(approval, [
      ["number · o own words", "2"],
      ["numbers · o own words", "1"],
    ]);
    expect(decision).toMatchObject({
      updated_input: { questions, answers: { "Sure?": "No", "Sure? (2)": ["Yes"] } },
    });
  });
});

describe("the keyboard", () => {
  test("what was typed before a question is not an answer to it", async () => {
    const stage = new Stage({ terminal: true });
    stage.input.write("y\ry");
    await new Promise((resolve) => setImmediate(resolve));
    const answer = stage.keyboard.ask("Sure? › ", new AbortController().signal);
    await stage.reads("Sure? › ");
    stage.input.write("n\r");
    expect(await answer).toBe("n");
    expect(stage.text).not.toContain("y");
  });

  test("Ctrl-C is heard at a question and without one", async () => {
    const stage = new Stage({ terminal: true });
    stage.input.write("\u0003");
    await new Promise((resolve) => setImmediate(resolve));
    const answer = stage.keyboard.ask("Sure? › ", new AbortController().signal);
    await stage.reads("Sure? › ");
    stage.input.write("\u0003");
    stage.input.write("y\r");
    expect(await answer).toBe("y");
    expect(stage.interrupts).toBe(2);
  });
});

describe("the screen", () => {
  test("the agent's words and the lines around them never share a line", async () => {
    const stage = new Stage();
    stage.screen.say("half a ");
    stage.screen.say("sentence");
    stage.screen.line("a line");
    stage.screen.murmur("a thought");
    stage.screen.say("more");
    stage.screen.endLine();
    await stage.reads("more\n");
    expect(stage.text).toBe("half a sentence\na line\na thought\nmore\n");
  });

  test("while a question is open everything else waits, in its order", async () => {
    const stage = new Stage();
    stage.screen.say("before");
    stage.screen.hold();
    stage.screen.say("held");
    stage.screen.line("also held");
    stage.screen.aside("the question");
    stage.screen.release();
    await stage.reads("also held\n");
    expect(stage.text).toBe("before\nthe question\nheld\nalso held\n");
  });

  test("what waits is bounded", async () => {
    const stage = new Stage();
    stage.screen.hold();
    for (let index = 0; index < 30; index += 1) stage.screen.line(`${index}${"x".repeat(100_000)}`);
    stage.screen.release();
    await stage.reads("29x");
    expect(stage.text.startsWith("… what came before this while you were asked is not shown\n21x")).toBe(true);
  });
});
