import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { LIMITS, outputText, type Approval } from "../../../src/protocol/index.ts";
import type { Bench } from "./bench.ts";
import { resultsIn, type SentRequest } from "./model.ts";
import { bash, NO, YES, type Scenario } from "./scenario.ts";
import type { Answer } from "./session.ts";

/** Of a command that ended well. Another machine tells how a call ended, and not with which code. */
const exitCode = ({ home }: Bench): object => (home === undefined ? { exit_code: 0 } : {});

const call: Scenario = {
  name: "a tool is asked for, run, and its result read",
  async run(bench) {
    const main = await bench.main();
    const asked: Approval[] = [];
    const turn = await main.turn([{ say: "I look." }, bash("echo called"), { say: "Done." }], {
      answer: (approval) => {
        asked.push(approval);
        return { decision: "approve" };
      },
    });
    expect(turn.end).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
    expect(turn.items).toMatchObject([
      { type: "agent_message", text: "I look.", status: "completed" },
      { type: "command_execution", command: "echo called", status: "completed", ...exitCode(bench) },
      { type: "agent_message", text: "Done.", status: "completed" },
    ]);
    expect(asked).toMatchObject([
      { tool: "Bash", input: { command: "echo called" }, item_id: turn.calls[0]?.id, preview: { type: "command" } },
    ]);
    expect(turn.requests.map(resultsIn).at(-1)?.at(-1)?.trim()).toBe("called");
    return YES;
  },
};

const free: Scenario = {
  name: "what policy allows runs without a question",
  async run(bench) {
    const main = await bench.main();
    await writeFile(join(bench.workspace, "free.txt"), "free to read\n");
    const turn = await main.turn([{ tool: "Read", input: { file_path: "free.txt" } }, { say: "Done." }]);
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.calls).toMatchObject([{ tool: "Read", status: "completed" }]);
    expect(turn.frames.filter(({ type }) => type === "approval.requested")).toEqual([]);
    expect(turn.requests.map(resultsIn).at(-1)?.at(-1)).toContain("free to read");
    return YES;
  },
};

/** How long the first of two questions waits for the second. */
const TOGETHER_MS = 5_000;

const parallel: Scenario = {
  name: "calls of one message that only read are asked about together",
  shows: "parallel_tools",
  async run(bench) {
    const main = await bench.main();
    await writeFile(join(bench.workspace, "hands.txt"), "left\nright\n");
    const both = new AbortController();
    const patience = AbortSignal.timeout(TOGETHER_MS);
    let asked = 0;
    const answer: Answer = async () => {
      asked += 1;
      if (asked === 2) both.abort();
      await new Promise<void>((resolve) => {
        for (const signal of [both.signal, patience]) {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        }
      });
      return { decision: "approve" };
    };
    const search = (pattern: string): object => ({
      tool: "Grep",
      input: { pattern, path: "hands.txt", output_mode: "content" },
    });
    const turn = await main.turn([{ tools: [search("left"), search("right")] }, { say: "Done." }], { answer });
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.calls.map(({ status }) => status)).toEqual(["completed", "completed"]);
    const results = turn.requests.map(resultsIn).at(-1)?.slice(-2) ?? [];
    expect(results.map((text) => /left|right/.exec(text)?.[0] ?? text).toSorted()).toEqual(["left", "right"]);
    return both.signal.aborted ? YES : NO;
  },
};

const commands: Scenario = {
  name: "commands of one message are run one after the other",
  async run(bench) {
    const main = await bench.main();
    const slowly = (word: string): object => bash(`echo begin >> order.txt; sleep 0.2; echo end ${word} >> order.txt`);
    const turn = await main.turn([{ tools: [slowly("one"), slowly("two")] }, { say: "Done." }]);
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.calls.map(({ status }) => status)).toEqual(["completed", "completed"]);
    const order = await readFile(join(bench.workspace, "order.txt"), "utf8");
    expect(order).toBe("begin\nend one\nbegin\nend two\n");
    const lastQuestion = turn.frames.findLastIndex(({ type }) => type === "approval.requested");
    const firstResult = turn.frames.findIndex(({ type }) => type === "item.completed");
    return { can: true, words: lastQuestion < firstResult ? "yes, asked about together" : "yes, and asked about so" };
  },
};

const denied: Scenario = {
  name: "a person's no is read word for word",
  async run(bench) {
    const main = await bench.main();
    const feedback = "Not like this. Use `printf`, <please> & thank you.";
    const turn = await main.turn([bash("echo no > denied.txt"), { say: "I see." }], {
      answer: () => ({ decision: "reject", feedback }),
    });
    expect(turn.end.type).toBe("turn.completed");
    const [item] = turn.calls;
    expect(item).toMatchObject({ status: "declined", is_error: true });
    expect(outputText(item?.output ?? [])).toBe(`User rejected: ${feedback}`);
    const read = turn.requests.map(resultsIn).at(-1)?.at(-1) ?? "";
    expect(read).toContain(`User rejected: ${feedback}`);
    await expect(readFile(join(bench.workspace, "denied.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    return read === `User rejected: ${feedback}` ? YES : { can: true, words: "yes, with words of the agent around it" };
  },
};

const edited: Scenario = {
  name: "a call runs as a person changed it",
  shows: "edited_input",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([bash("echo original"), { say: "Done." }], {
      answer: () => ({ decision: "approve", updated_input: { command: "echo changed" } }),
    });
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.requests.map(resultsIn).at(-1)?.at(-1)).not.toContain("original");
    const [item] = turn.calls;
    expect(item).toMatchObject({ input: { command: "echo original" } });
    if (item?.status !== "completed") return NO;
    const ran = outputText(item?.output ?? []).trim() === "changed";
    return ran && item?.approved_input?.["command"] === "echo changed" ? YES : NO;
  },
};

const stopped: Scenario = {
  name: "a person's no ends the turn, and the next one knows why",
  async run(bench) {
    const main = await bench.main();
    const feedback = "Stop here and wait for me.";
    const turn = await main.turn([bash("echo no"), { say: "Never said." }], {
      answer: () => ({ decision: "reject", feedback, interrupt: true }),
    });
    expect(turn.end).toMatchObject({ type: "turn.failed", error: { code: "rejected_and_stopped" } });
    expect(turn.items).toMatchObject([{ type: "command_execution", status: "declined" }]);
    // The model was not asked again: that would have been paid.
    expect(turn.requests).toHaveLength(1);
    const next = await main.turn([{ say: "I know." }]);
    expect(next.end.type).toBe("turn.completed");
    expect(JSON.stringify(next.requests.at(-1)?.messages)).toContain(feedback);
    return YES;
  },
};

const unknown: Scenario = {
  name: "a tool that there is not is refused",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ tool: "Teleport", input: { to: "Mars" } }, { say: "Pity." }]);
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.frames.filter(({ type }) => type === "approval.requested")).toEqual([]);
    const result = turn.requests.map(resultsIn).at(-1)?.at(-1) ?? "";
    expect(result).toMatch(/Teleport|unavailable tool/);
    expect(turn.calls.filter(({ status }) => status === "completed")).toEqual([]);
    expect(turn.calls).toMatchObject([{ status: "failed", is_error: true }]);
    const named = turn.calls[0]?.tool === "Teleport";
    return named ? YES : { can: true, words: "yes, told in the agent's own words" };
  },
};

/** By our names. A tool that is deferred is none that the model sees. */
function loaded(tools: NonNullable<SentRequest["tools"]>): readonly string[] {
  return tools.flatMap(({ name, defer_loading = false }) =>
    defer_loading ? [] : [name.replace(/^mcp__sallyport__/, "")],
  );
}

const limited: Scenario = {
  name: "the model is told of the session's tools only, and others are refused",
  async run(bench) {
    const session = await bench.session({ tools: ["Read", "Grep"] });
    const turn = await session.turn([bash("echo no > limited.txt"), { say: "Pity." }]);
    expect(turn.end.type).toBe("turn.completed");
    const told = new Set(turn.requests.flatMap(({ tools = [] }) => loaded(tools)));
    expect([...told].toSorted()).toEqual(["Grep", "Read"]);
    expect(turn.frames.filter(({ type }) => type === "approval.requested")).toEqual([]);
    expect(turn.calls.filter(({ status }) => status === "completed")).toEqual([]);
    await expect(readFile(join(bench.workspace, "limited.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    await bench.end(session);
    return YES;
  },
};

const question: Scenario = {
  name: "a question of the model is answered by a person",
  async run(bench) {
    // The owner of the machine is asked: document 003 has no answers to questions.
    if (bench.home !== undefined) return { can: false, words: "no, the owner of the machine at home is" };
    const main = await bench.main();
    const questions = [
      {
        question: "Which colour?",
        header: "Colour",
        multiSelect: false,
        options: [
          { label: "Red", description: "like a rose" },
          { label: "Blue", description: "like the sea" },
        ],
      },
    ];
    const turn = await main.turn([{ tool: "AskUserQuestion", input: { questions } }, { say: "Thanks." }], {
      answer: ({ preview, input }) => {
        expect(preview).toMatchObject({ type: "question", questions });
        return { decision: "approve", updated_input: { ...input, answers: { "Which colour?": "Blue" } } };
      },
    });
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.calls).toMatchObject([{ tool: "AskUserQuestion", status: "completed" }]);
    const read = turn.requests.map(resultsIn).at(-1)?.at(-1) ?? "";
    expect(read).toMatch(/Which colour\?/);
    expect(read).toMatch(/Blue/);
    return YES;
  },
};

const LINES = 300_000;

const huge: Scenario = {
  name: "huge output of a command is bounded, and the rest can be read",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([bash(`seq 1 ${LINES}`), { say: "Much." }]);
    expect(turn.end.type).toBe("turn.completed");
    const [item] = turn.calls;
    expect(item).toMatchObject({ status: "completed", ...exitCode(bench) });
    expect(JSON.stringify(item).length).toBeLessThan(2 * LIMITS.toolOutputChars);
    const read = turn.requests.map(resultsIn).at(-1)?.at(-1) ?? "";
    expect(read.length).toBeLessThan(LIMITS.toolOutputChars);
    const path = /(\/[^\s"'<>()]+)/.exec(read)?.[1] ?? "";
    expect((await readFile(path, "utf8")).trimEnd().endsWith(`\n${LINES}`)).toBe(true);
    const rest = await main.turn([
      { tool: "Read", input: { file_path: path, offset: LINES - 1, limit: 2 } },
      { say: "All." },
    ]);
    expect(rest.end.type).toBe("turn.completed");
    // An agent may put it into a file of its own, which no tool of ours reads.
    if (rest.calls[0]?.status === "declined") return { can: false, words: "no, the agent names a file of its own" };
    expect(rest.calls).toMatchObject([{ tool: "Read", status: "completed" }]);
    expect(rest.requests.map(resultsIn).at(-1)?.at(-1)).toContain(String(LINES));
    return YES;
  },
};

const FOUND = 950;

const search: Scenario = {
  name: "a long search result is read as the item tells it",
  async run(bench) {
    const main = await bench.main();
    const lines = Array.from({ length: FOUND }, (_, index) => `needle ${index} ${"-".repeat(30)}`);
    await writeFile(join(bench.workspace, "haystack.txt"), lines.join("\n"));
    const input = { pattern: "needle", path: "haystack.txt", output_mode: "content", head_limit: 0 };
    const turn = await main.turn([{ tool: "Grep", input }, { say: "Many." }]);
    expect(turn.end.type).toBe("turn.completed");
    const told = outputText(turn.calls[0]?.output ?? []);
    expect(told.includes(`needle ${FOUND - 1} `)).toBe(true);
    const read = turn.requests.map(resultsIn).at(-1)?.at(-1);
    return read === told ? YES : { can: false, words: "no, the model reads a note in its place" };
  },
};

const subagent: Scenario = {
  name: "a sub-agent's items lie in its own, and its calls are asked about",
  shows: "subagents",
  async run(bench) {
    const main = await bench.main();
    const [before] = (await main.turn([{ say: "Ready." }])).requests;
    const tool = before?.tools?.map(({ name }) => name).find((name) => name === "Task" || name === "Agent");
    if (tool === undefined) return NO;
    const inner = `Look.\nsim: ${JSON.stringify([{ say: "I look." }, bash("echo inner"), { say: "Seen." }])}`;
    const asked: string[] = [];
    const input = { description: "look", prompt: inner, subagent_type: "general-purpose" };
    const turn = await main.turn([{ tool, input }, { say: "Done." }], {
      answer: (approval) => {
        asked.push(approval.tool);
        return { decision: "approve" };
      },
    });
    expect(turn.end.type).toBe("turn.completed");
    const agent = turn.items.find((item) => item.type === "subagent");
    const nested = turn.items.filter(({ parent_id }) => parent_id !== undefined && parent_id === agent?.id);
    expect(asked).toContain("Bash");
    if (agent === undefined || nested.length === 0) return NO;
    expect(nested).toMatchObject([
      { type: "agent_message", text: "I look." },
      { type: "command_execution", command: "echo inner", status: "completed" },
      { type: "agent_message", text: "Seen." },
    ]);
    expect(turn.requests.map(resultsIn).at(-1)?.at(-1)).toContain("Seen.");
    return agent.status === "completed" ? YES : NO;
  },
};

const nested: Scenario = {
  name: "a sub-agent's words are told while it works",
  async run(bench) {
    const main = await bench.main();
    const [before] = (await main.turn([{ say: "Ready." }])).requests;
    const tool = before?.tools?.map(({ name }) => name).find((name) => name === "Task" || name === "Agent");
    if (tool === undefined) return NO;
    const steps = [{ stream: { tokens: 40, per_second: 200 } }, bash("true"), { say: "Seen." }];
    const prompt = `Look.\nsim: ${JSON.stringify(steps)}`;
    const input = { description: "look", prompt, subagent_type: "general-purpose" };
    const turn = await main.turn([{ tool, input }, { say: "Done." }]);
    expect(turn.end.type).toBe("turn.completed");
    const words = turn.items.find(({ type, parent_id }) => type === "agent_message" && parent_id !== undefined);
    if (words === undefined) return NO;
    const told = turn.frames.findIndex((frame) => frame.type === "item.completed" && frame.item.id === words.id);
    const asked = turn.frames.findLastIndex((frame) => frame.type === "approval.requested");
    expect(told).toBeGreaterThan(-1);
    expect(told).toBeLessThan(asked);
    const deltas = turn.frames.filter((frame) => frame.type === "item.delta" && frame.item_id === words.id);
    return { can: true, words: deltas.length > 1 ? "yes, as they are written" : "yes, each text when it is whole" };
  },
};

export const CALLS: readonly Scenario[] = [
  call,
  free,
  parallel,
  commands,
  denied,
  edited,
  stopped,
  unknown,
  question,
  subagent,
  nested,
  huge,
  search,
];
/** Those with settings that no other session has. */
export const LIMITED: readonly Scenario[] = [limited];
