import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { LIMITS } from "../../src/protocol/index.ts";
import { createToolbox, textResult, toolDefinitions, type Tool } from "../../src/tools/index.ts";
import { openFileLedger } from "../../src/tools/files/ledger.ts";
import { bench } from "./fixture.ts";

const NAMES = [
  "Read",
  "Write",
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "Glob",
  "Grep",
  "Bash",
  "BashOutput",
  "TaskOutput",
  "KillShell",
  "TaskStop",
  "TodoWrite",
  "WebFetch",
  "AskUserQuestion",
  "Task",
  "Skill",
];

const echo: Tool<{ text: string; times: number }> = {
  name: "Echo",
  description: "Says it again.",
  tier: "read",
  concurrent: true,
  input: z.strictObject({ text: z.string(), times: z.number().int().default(1) }),
  paths: () => [],
  hosts: () => [],
  preview: async () => {
    throw new Error("no preview");
  },
  async execute(input) {
    if (input.text === "fail") throw new Error("it broke");
    return textResult(input.text.repeat(input.times));
  },
};

describe("definitions", () => {
  // A change here is a change of what every model is told: look at it, then put the new text into the file.
  test.each(["anthropic", "openai"] as const)("in the form of %s", async (form) => {
    const golden: unknown = JSON.parse(await readFile(new URL(`golden/${form}.json`, import.meta.url), "utf8"));
    const told: unknown = form === "anthropic" ? toolDefinitions("anthropic") : toolDefinitions("openai");
    expect(JSON.parse(JSON.stringify(told))).toEqual(golden);
  });

  test("both tell the same, and every schema is a closed object", () => {
    const anthropic = toolDefinitions("anthropic");
    expect(anthropic.map(({ name }) => name)).toEqual(NAMES);
    expect(toolDefinitions("openai")).toEqual(
      anthropic.map(({ name, description, input_schema }) => ({
        type: "function",
        function: { name, description, parameters: input_schema },
      })),
    );
    for (const { input_schema } of anthropic)
      expect(input_schema).toMatchObject({ type: "object", additionalProperties: false });
  });
});

describe("a toolbox", () => {
  test("can hold more tools than ours, and fewer", async () => {
    const tools = await bench({ extra: [echo], only: (name) => ["Read", "Echo"].includes(name) });
    expect(tools.toolbox.definitions()).toEqual([
      toolDefinitions("anthropic")[0],
      {
        name: "Echo",
        description: "Says it again.",
        input_schema: {
          type: "object",
          properties: {
            text: { type: "string" },
            times: { default: 1, type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
          },
          required: ["text"],
          additionalProperties: false,
        },
      },
    ]);
    expect(await tools.text("Echo", { text: "ab", times: 2 })).toBe("abab");
    expect(await tools.error("Echo", { text: "fail" })).toBe("Error: it broke");
    expect(await tools.error("Write", { file_path: "x", content: "y" })).toBe("Unknown tool: Write");
    expect(tools.toolbox.facts("Write", {}).known).toBe(false);
    expect([tools.toolbox.traits("Echo").concurrent, tools.toolbox.traits("Nothing").concurrent]).toEqual([
      true,
      false,
    ]);
    expect((await tools.toolbox.preview("Echo", { text: "x" })).preview).toEqual({
      type: "generic",
      summary: '{\n  "text": "x"\n}',
    });
  });

  test("two tools of one name are refused", async () => {
    const { session } = await bench();
    expect(() => createToolbox(session, { extra: [{ ...echo, name: "Agent" }] })).toThrow("Two tools are named Agent.");
  });

  test.each([
    ["Read", "read", true],
    ["Write", "write", false],
    ["Edit", "write", false],
    ["MultiEdit", "write", false],
    ["NotebookEdit", "write", false],
    ["Glob", "read", true],
    ["Grep", "read", true],
    ["Bash", "execute", false],
    ["BashOutput", "read", false],
    ["TaskOutput", "read", false],
    ["KillShell", "execute", false],
    ["TaskStop", "execute", false],
    ["TodoWrite", "read", false],
    ["WebFetch", "network", true],
    ["AskUserQuestion", "read", false],
    ["Task", "execute", false],
  ])("%s is of tier %s; concurrent: %s", async (name, tier, concurrent) => {
    const { toolbox } = await bench();
    const traits = toolbox.traits(name);
    expect([traits.known, traits.tier, traits.concurrent, traits.alwaysAsks]).toEqual([
      true,
      tier,
      concurrent,
      name === "AskUserQuestion",
    ]);
    expect(toolbox.facts(name, {}).schemaError).toMatch(new RegExp(`^Invalid input for ${name}: `));
  });

  test.each([
    ["Read", { file_path: "a" }, [{ path: "a", access: "read" }]],
    ["Write", { file_path: "a", content: "" }, [{ path: "a", access: "write" }]],
    ["Edit", { file_path: "a", old_string: "x", new_string: "y" }, [{ path: "a", access: "write" }]],
    ["MultiEdit", { file_path: "a", edits: [{ old_string: "x", new_string: "y" }] }, [{ path: "a", access: "write" }]],
    ["NotebookEdit", { notebook_path: "a", cell_id: "x", new_source: "" }, [{ path: "a", access: "write" }]],
    ["Glob", { pattern: "*" }, [{ path: ".", access: "read" }]],
    ["Glob", { pattern: "*", path: "src" }, [{ path: "src", access: "read" }]],
    ["Glob", { pattern: "/etc/*.conf" }, [{ path: "/etc", access: "read" }]],
    ["Glob", { pattern: "../x/*", path: "src" }, [{ path: "x", access: "read" }]],
    ["Grep", { pattern: "x" }, [{ path: ".", access: "read" }]],
    ["Grep", { pattern: "x", path: "null" }, [{ path: ".", access: "read" }]],
    ["Bash", { command: "cat /etc/passwd" }, []],
  ])("the paths of %s %j", async (name, input, paths) => {
    const { toolbox } = await bench();
    expect(toolbox.facts(name, input)).toMatchObject({ known: true, paths });
    expect(toolbox.facts(name, input).schemaError).toBeUndefined();
  });

  test.each([
    ["Read", {}, "file_path is required"],
    ["Read", { file_path: 7 }, "file_path: Invalid input: expected string, received number"],
    ["Read", { file_path: "a", offset: -1 }, "offset: Too small: expected number to be >=0"],
    ["Read", { file_path: "a", limit: 1.5 }, "limit: Invalid input: expected int, received number"],
    ["Read", { file_path: "a", encoding: "x" }, 'unknown argument "encoding"'],
    ["Read", { file_path: "a", pages: 1 }, 'unknown argument "pages"'],
    ["Edit", { file_path: "a" }, "old_string is required; new_string is required"],
    ["MultiEdit", { file_path: "a", edits: [{ old_string: "x" }] }, "edits.0.new_string is required"],
    [
      "MultiEdit",
      { file_path: "a", edits: [{ old_string: "x", new_string: "y", z: 1 }] },
      'unknown argument "z" in edits.0',
    ],
    ["MultiEdit", { file_path: "a", edits: [] }, "edits: Too small: expected array to have >=1 items"],
    [
      "TodoWrite",
      { todos: [{ content: "x", status: "later" }] },
      'todos.0.status: Invalid option: expected one of "pending"|"in_progress"|"completed"',
    ],
  ])("%s %j is refused, and the argument named", async (tool, input, expected) => {
    const tools = await bench();
    expect(await tools.error(tool, input)).toBe(`Invalid input for ${tool}: ${expected}`);
    expect(tools.toolbox.facts(tool, input)).toMatchObject({
      schemaError: `Invalid input for ${tool}: ${expected}`,
      paths: [],
      hosts: [],
    });
  });

  test("input that is too big or no JSON is refused", async () => {
    const tools = await bench();
    const content = "x".repeat(LIMITS.toolInputBytes);
    expect(await tools.error("Write", { file_path: "f", content })).toMatch(
      /^Invalid input for Write: it has \d+ bytes, at most 16777216 may be sent$/,
    );
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(await tools.error("Write", circle)).toBe("Invalid input for Write: it cannot be written as JSON");
  });

  test("long results are cut, halves of characters replaced", async () => {
    const tools = await bench({ extra: [echo] });
    const text = await tools.text("Echo", { text: "0123456789", times: 50_000 });
    expect(text).toBe(`${"0123456789".repeat(40_000)}\n(100000 characters were cut here.)`);
    expect(await tools.text("Echo", { text: "a\ud83d" })).toBe("a\u{FFFD}");
    expect(await tools.error(`Nope\ud83d`, {})).toBe("Unknown tool: Nope\u{FFFD}");
  });

  test("closed it runs nothing and has forgotten what was read", async () => {
    const tools = await bench();
    const path = await tools.put("f", "x");
    await tools.text("Read", { file_path: path });
    await tools.toolbox.close();
    await tools.toolbox.close();
    expect(await tools.error("Read", { file_path: path })).toBe(
      "The session is closed: no tool can run in it any more.",
    );
    expect(tools.session.files.check(path, Buffer.from("x"))).toBe("unseen");
  });
});

describe("Bash as a person sees it", () => {
  test("each simple command, its program, and what to beware of", async () => {
    const tools = await bench();
    await tools.put("tool.sh", "", 0o755);
    const input = {
      command: "rm -rf build && ./tool.sh | sort > out.txt; echo done; nowhere-4711",
      description: "Clean",
      timeout: 5_000,
    };
    const { preview, warnings } = await tools.toolbox.preview("Bash", input);
    expect(preview).toMatchObject({
      type: "command",
      command: input.command,
      description: "Clean",
      timeout_ms: 5_000,
      cwd: tools.workspace,
      background: false,
    });
    if (preview.type !== "command") throw new Error(preview.type);
    expect(preview.parts.map(({ program, resolved }) => [program, resolved?.replace(/^.*\//, "")])).toEqual([
      ["rm", "rm"],
      ["tool.sh", "tool.sh"],
      ["sort", "sort"],
      ["echo", undefined],
      ["nowhere-4711", undefined],
    ]);
    expect(warnings.map(({ kind }) => kind).sort()).toEqual(["delete", "pipe", "redirect"]);
  });

  test.each([
    ["cd x && ./tool.sh", [undefined, undefined]],
    ["env echo x", ["echo"]],
    ["command echo x", [undefined]],
  ])("%s", async (command, expected) => {
    const tools = await bench();
    await tools.put("tool.sh", "", 0o755);
    const { preview } = await tools.toolbox.preview("Bash", { command });
    if (preview.type !== "command") throw new Error(preview.type);
    expect(preview.parts.map(({ resolved }) => resolved?.replace(/^.*\//, ""))).toEqual(expected);
  });

  test("what cannot be parsed says so", async () => {
    const tools = await bench();
    const { preview, warnings } = await tools.toolbox.preview("Bash", {
      command: "echo 'open",
      run_in_background: true,
    });
    expect(preview).toMatchObject({
      parts: [],
      background: true,
      timeout_ms: LIMITS.backgroundTimeoutMs,
      parse_error: expect.any(String) as string,
    });
    expect(warnings.map(({ kind }) => kind)).toEqual(["unparseable"]);
  });

  test("other tools are shown as JSON, cut", async () => {
    const tools = await bench();
    const { preview } = await tools.toolbox.preview("Task", { description: "d", prompt: "p".repeat(1_000) });
    if (preview.type !== "generic") throw new Error(preview.type);
    expect([preview.summary.length, preview.summary.endsWith("ppp...")]).toEqual([503, true]);
    expect(await tools.toolbox.preview("WebFetch", { url: "http://h.org/", prompt: "" })).toMatchObject({
      preview: { type: "generic" },
      warnings: [{ kind: "network", message: "Fetches http://h.org/" }],
    });
    expect((await tools.toolbox.preview("Nothing", { a: 1 })).preview).toEqual({
      type: "generic",
      summary: '{\n  "a": 1\n}',
    });
  });
});

describe("people", () => {
  const options = [
    { label: "A", description: "first" },
    { label: "B", description: "second", preview: "…" },
  ];
  const question = { question: "Which?", header: "Choice", options, multiSelect: false };
  const other = { question: "Where?", header: "Place", options, multiSelect: true };

  test.each([
    [{ "Which?": "A" }, 'The user answered:\n"Which?" = "A"\n"Where?": no answer'],
    [{ "Which?": "B", "Where?": ["A", "B"] }, 'The user answered:\n"Which?" = "B"\n"Where?" = "A, B"'],
  ])("answers %j", async (answers, expected) => {
    const tools = await bench();
    expect(await tools.text("AskUserQuestion", { questions: [question, other], answers })).toBe(expected);
  });

  test("answers to questions with one text", async () => {
    const tools = await bench();
    const questions = [question, question, question];
    expect(await tools.text("AskUserQuestion", { questions, answers: { "Which?": "A", "Which? (3)": "B" } })).toBe(
      'The user answered:\n"Which?" = "A"\n"Which? (3)" = "B"\n"Which? (2)": no answer',
    );
  });

  test("no answer", async () => {
    const tools = await bench();
    expect(await tools.error("AskUserQuestion", { questions: [question] })).toBe("No answer was given.");
    expect(await tools.error("AskUserQuestion", { questions: [question], answers: {} })).toBe("No answer was given.");
  });

  test("the question is what a person sees", async () => {
    const tools = await bench();
    const { multiSelect: _left, ...short } = question;
    expect(await tools.toolbox.preview("AskUserQuestion", { questions: [short] })).toEqual({
      preview: { type: "question", questions: [question] },
      warnings: [],
    });
  });

  test.each([
    [{ questions: [] }, "questions: Too small"],
    [{ questions: Array.from({ length: 5 }, () => question) }, "questions: Too big"],
    [{ questions: [{ ...question, header: "more than twelve" }] }, "questions.0.header: Too big"],
    [{ questions: [{ ...question, options: options.slice(1) }] }, "questions.0.options: Too small"],
  ])("%j is refused", async (input, expected) => {
    const tools = await bench();
    expect(await tools.error("AskUserQuestion", input)).toContain(expected);
  });

  test("TodoWrite", async () => {
    const tools = await bench();
    const todos = [
      { content: "a", status: "completed", activeForm: "Doing a" },
      { content: "b", status: "in_progress" },
      { content: "c", status: "pending" },
      { content: "d", status: "pending" },
    ];
    expect(await tools.text("TodoWrite", { todos })).toBe(
      "The list has 4 item(s) now: 1 completed, 1 in progress, 2 pending.",
    );
  });

  test("Task, also under its other name", async () => {
    const tools = await bench();
    const input = { description: "Look", prompt: "Look around", subagent_type: "general" };
    expect(await tools.error("Task", input)).toBe("No sub-agents can be started here. Do the task yourself.");
    const asked: unknown[] = [];
    const subagent = async (request: unknown) => {
      asked.push(request);
      return textResult("found");
    };
    expect(await tools.text("Task", input, { subagent })).toBe("found");
    expect(await tools.text("Agent", input, { subagent })).toBe("found");
    expect(asked).toEqual([input, input]);
    // Rules are asked about the tool's own name, whatever the model calls it.
    expect(tools.toolbox.facts("Agent", input)).toEqual({
      name: "Task",
      known: true,
      tier: "execute",
      alwaysAsks: false,
      paths: [],
      hosts: [],
    });
  });
});

describe("the ledger of files", () => {
  test("knows the content, not the time", async () => {
    const ledger = openFileLedger();
    ledger.saw("/f", Buffer.from("a"));
    expect([
      ledger.check("/f", Buffer.from("a")),
      ledger.check("/f", Buffer.from("b")),
      ledger.check("/g", Buffer.from("a")),
    ]).toEqual(["same", "changed", "unseen"]);
  });

  test("forgets the oldest when there are too many", () => {
    const ledger = openFileLedger();
    const nothing = Buffer.alloc(0);
    for (let index = 0; index <= LIMITS.filesSeenPerSession; index += 1) ledger.saw(`/${index}`, nothing);
    expect([ledger.check("/0", nothing), ledger.check("/1", nothing)]).toEqual(["unseen", "same"]);
  });

  test("work on one path comes one after the other, also after a failure", async () => {
    const ledger = openFileLedger();
    const order: string[] = [];
    const work = (name: string, fails = false) =>
      ledger.exclusive("/f", async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([work("a"), work("b", true), work("c")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  test("a file written by somebody else with the same content is the same", async () => {
    const tools = await bench();
    const file_path = await tools.put("f", "same");
    await tools.text("Read", { file_path });
    await writeFile(file_path, "same");
    await tools.text("Write", { file_path, content: "new" });
  });
});
