import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { Failure, type CreateSession } from "../../../src/protocol/index.ts";
import { marksIn, resultsIn } from "./model.ts";
import { bash, NO, YES, type Scenario } from "./scenario.ts";

const SCHEMA: CreateSession["output_schema"] = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer", minimum: 1 } },
  required: ["name", "count"],
  additionalProperties: false,
};

/** A session that the engine cannot have. */
function unsupported(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== "unsupported") throw error;
}

const answer = (input: object): object => ({ tool: "StructuredOutput", input });

const structured: Scenario = {
  name: "a turn ends with a value in the form of `output_schema`",
  shows: "structured_output",
  async run(bench) {
    const session = await bench.session({ output_schema: SCHEMA }).catch(unsupported);
    if (session === undefined) return NO;
    const first = await session.turn([{ say: "I look." }, bash("echo called"), answer({ name: "one", count: 1 })]);
    if (first.end.type !== "turn.completed" || first.end.structured_output === undefined) return NO;
    expect(first.end).toMatchObject({ stop_reason: "end_turn", structured_output: { name: "one", count: 1 } });
    expect(first.frames.filter(({ type }) => type === "approval.requested")).toHaveLength(1);
    expect(first.calls.map(({ tool, status }) => [tool, status])).toEqual([
      ["Bash", "completed"],
      ["StructuredOutput", "completed"],
    ]);
    // What does not fit is told to the model, and words alone are no answer.
    const second = await session.turn([
      answer({ name: "two", count: "two" }),
      { say: "Two." },
      { stop_reason: "end_turn" },
      answer({ name: "two", count: 2 }),
    ]);
    expect(second.end).toMatchObject({ type: "turn.completed", structured_output: { name: "two", count: 2 } });
    expect(second.calls.map(({ status }) => status)).toEqual(["failed", "completed"]);
    expect(second.requests.flatMap(resultsIn).join("\n")).toContain("count");
    expect(second.requests.map(marksIn).at(-1)).toEqual([first.mark, second.mark]);
    await bench.end(session);
    return YES;
  },
};

const never: Scenario = {
  name: "a model that never gives that form: the turn fails, the session goes on",
  async run(bench) {
    const session = await bench.session({ output_schema: SCHEMA }).catch(unsupported);
    if (session === undefined) return { can: false, words: "has no such form" };
    const wrong = Array.from({ length: 12 }, () => answer({ name: 7 }));
    const turn = await session.turn(wrong);
    expect(turn.end).toMatchObject({
      type: "turn.failed",
      error: { code: "model_error", message: expect.stringContaining("output_schema") },
    });
    const next = await session.turn([answer({ name: "again", count: 1 })]);
    expect(next.end).toMatchObject({ type: "turn.completed", structured_output: { name: "again", count: 1 } });
    await bench.end(session);
    return { can: true, words: `yes, after ${turn.requests.length} answers` };
  },
};

const agents: Scenario = {
  name: "a sub-agent of the session's own kind has its prompt, its model and its tools only",
  shows: "agents",
  async run(bench) {
    await writeFile(join(bench.workspace, "review.txt"), "to be read\n");
    const session = await bench
      .session({
        agents: {
          reviewer: {
            description: "Reviews what was written.",
            prompt: "You are the reviewer of Wonderland.",
            tools: ["Read", "Glob", "WebFetch"],
            model: "other",
          },
          writer: { description: "Writes.", prompt: "You are the writer." },
        },
        tools: ["Read", "Bash", "Task", "Glob"],
      })
      .catch(unsupported);
    if (session === undefined) return NO;
    const [before] = (await session.turn([{ say: "Ready." }])).requests;
    const tool = before?.tools?.map(({ name }) => name).find((name) => name === "Task" || name === "Agent");
    if (tool === undefined || !JSON.stringify(before).includes("Reviews what was written.")) return NO;
    const delegate = (subagent_type: string, ...steps: readonly object[]): object => ({
      tool,
      input: { description: "a task", subagent_type, prompt: `${subagent_type}!\nsim: ${JSON.stringify(steps)}` },
    });
    const read = { tool: "Read", input: { file_path: "review.txt" } };
    const turn = await session.turn([
      delegate("reviewer", read, bash("echo sneaky"), { say: "Reviewed." }),
      delegate("writer", bash("echo written"), { say: "Written." }),
      { say: "Done." },
    ]);
    expect(turn.end.type).toBe("turn.completed");
    const [reviewer, writer] = turn.items.filter((item) => item.type === "subagent");
    const of = (parent: string | undefined): readonly unknown[] =>
      turn.calls.filter(({ parent_id }) => parent_id === parent).map(({ tool: name, status }) => [name, status]);
    expect(of(reviewer?.id)).toEqual([
      ["Read", "completed"],
      ["Bash", "failed"],
    ]);
    expect(of(writer?.id)).toEqual([["Bash", "completed"]]);
    const asked = await bench.model.containing("reviewer!");
    const its = asked.filter(({ system }) => JSON.stringify(system).includes("the reviewer of Wonderland"));
    expect(new Set(its.map(({ model }) => model))).toEqual(new Set(["other"]));
    const offered = its[0]?.tools?.filter(({ defer_loading }) => defer_loading !== true).map(({ name }) => name) ?? [];
    expect(new Set(offered.map((name) => name.replace("mcp__sallyport__", "")))).toEqual(new Set(["Read", "Glob"]));
    await bench.end(session);
    return YES;
  },
};

export const ANSWERS: readonly Scenario[] = [structured, never, agents];
