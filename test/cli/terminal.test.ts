import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTerminals, Place, script, type Running } from "./place.ts";

const WRITE = { tool: "Write", input: { file_path: "a.txt", content: "hello\n" } };
const PROMPT = "? help › ";

async function answers(running: Running, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    await running.reads(" › ");
    running.types(`${line}\r`);
  }
}

describe.skipIf(!hasTerminals)("sallyport run at a terminal", () => {
  test("yes once, no with a reason, stop", async () => {
    await using place = new Place();
    const bash = { tool: "Bash", input: { command: "cat a.txt | sort > /tmp/../tmp/sallyport-none" } };
    const running = place.startAtTerminal(["run", script([WRITE, bash, WRITE, { say: "never" }])]);
    await answers(running, ["y", "n not there", "s enough"]);
    expect((await running.ended).code).toBe(3);
    expect(place.read("a.txt")).toBe("hello\n");
    const { text } = running;
    expect(text).toContain(`${place.folder}/a.txt  NEW  +1 −0`);
    expect(text).toContain("1. cat /usr/bin/cat  cat a.txt");
    expect(text).toContain("(outside the workspace)");
    expect(text).toContain("User rejected: not there");
    expect(text).not.toContain("never");
  });

  test("for the session, after the rule was shown; the next call like it is not asked", async () => {
    await using place = new Place();
    const bash = { tool: "Bash", input: { command: "echo one" } };
    const running = place.startAtTerminal(["run", script([bash, bash, { say: "End." }])]);
    await answers(running, ["a", "y"]);
    expect((await running.ended).code).toBe(0);
    expect(running.text).toContain("y adds this rule until the session ends: Bash(echo one)");
    expect(running.text.split("wants your yes").length).toBe(2);
    expect(running.text.split("✓ Bash echo one").length).toBe(3);
  });

  test("an edited file is shown again and written as it was changed", async () => {
    await using place = new Place();
    place.write("editor.sh", '#!/bin/sh\nprintf "edited\\n" > "$1"\n');
    chmodSync(join(place.folder, "editor.sh"), 0o755);
    const running = place.startAtTerminal(["run", script([WRITE, { say: "End." }])], {
      EDITOR: join(place.folder, "editor.sh"),
    });
    await running.reads(PROMPT);
    running.types("e\r");
    await running.reads("With your changes:");
    await running.reads("+edited");
    await running.reads(PROMPT);
    running.types("y\r");
    expect((await running.ended).code).toBe(0);
    expect(running.text).toContain("as edited by a person");
    expect(place.read("a.txt")).toBe("edited\n");
  });

  test("an edited input that policy refuses is not taken, and it is asked again", async () => {
    await using place = new Place();
    place.write("editor.sh", `#!/bin/sh\nprintf '{"file_path":"/etc/none","content":"x"}' > "$1"\n`);
    chmodSync(join(place.folder, "editor.sh"), 0o755);
    const running = place.startAtTerminal(["run", script([WRITE, { say: "End." }])], {
      EDITOR: join(place.folder, "editor.sh"),
    });
    await answers(running, ["E", "y"]);
    await running.reads("your answer was not taken: updated_input is not allowed");
    await answers(running, ["y"]);
    expect((await running.ended).code).toBe(0);
    expect(place.read("a.txt")).toBe("hello\n");
  });

  test("the agent's question is answered with a number", async () => {
    await using place = new Place();
    const questions = [
      {
        question: "Which?",
        header: "Which",
        options: [
          { label: "left", description: "" },
          { label: "right", description: "" },
        ],
        multiSelect: false,
      },
    ];
    const running = place.startAtTerminal([
      "run",
      script([{ tool: "AskUserQuestion", input: { questions } }, { say: "Thanks." }]),
    ]);
    await running.reads("Your answer?");
    const blind = await place.run(["approve", /apr_\w+/.exec(running.text)?.[0] ?? ""]);
    expect([blind.code, blind.stderr.startsWith("error: this is a question")]).toEqual([2, true]);
    await answers(running, ["2"]);
    expect((await running.ended).code).toBe(0);
    const id = /ses_\w+/.exec(running.text)?.[0] ?? "";
    expect((await place.run(["sessions", "close", id])).stdout).toBe(`${id} is complete\n`);
    const { code, stdout } = await place.run(["attach", id, "--json"]);
    expect([code, stdout.includes('The user answered:\\n\\"Which?\\" = \\"right\\"')]).toEqual([0, true]);
  });

  test("somebody else answers: the question disappears, with who it was", async () => {
    await using place = new Place();
    const running = place.startAtTerminal(["run", script([WRITE, { say: "Thanks." }])]);
    await running.reads(PROMPT);
    const { stdout } = await place.run(["token", "create", "--role", "operator", "--name", "anna"]);
    const approve = await place.run(["--token", stdout.trim(), "approve", /apr_\w+/.exec(running.text)?.[0] ?? ""]);
    expect(approve.code).toBe(0);
    await running.reads("approved by anna");
    expect((await running.ended).code).toBe(0);
    expect(place.read("a.txt")).toBe("hello\n");
  });

  test("Ctrl-C twice leaves; the session is kept and rests", async () => {
    await using place = new Place();
    const running = place.startAtTerminal(["run", script([WRITE])]);
    await running.reads(PROMPT);
    running.types("\u0003\u0003");
    expect((await running.ended).code).toBe(130);
    const { stdout } = await place.run(["sessions", "--json"]);
    const { sessions } = JSON.parse(stdout) as { sessions: { status: string; pending_approvals: string[] }[] };
    expect(sessions.map(({ status, pending_approvals }) => [status, pending_approvals])).toEqual([["idle", []]]);
  });

  test("Ctrl-C at a question interrupts the turn", async () => {
    await using place = new Place();
    const running = place.startAtTerminal(["run", script([WRITE])]);
    await running.reads(PROMPT);
    running.types("\u0003");
    expect((await running.ended).code).toBe(130);
    expect(running.text).toContain("… the turn was interrupted");
    expect(place.read("a.txt")).toBeUndefined();
  });

  test("Ctrl-D: nobody can be asked any more, so it is told how to answer", async () => {
    await using place = new Place();
    const running = place.startAtTerminal(["run", script([WRITE, { say: "End." }])]);
    await running.reads(PROMPT);
    running.types("\u0004");
    await running.reads("answer it with: sallyport approve apr_");
    await place.run(["approve", /apr_\w+/.exec(running.text)?.[0] ?? ""]);
    expect((await running.ended).code).toBe(0);
  });

  test("approve asks before it answers", async () => {
    await using place = new Place();
    const running = place.startHere(["run", script([WRITE, { say: "End." }])]);
    await running.reads("approve apr_");
    const id = /apr_\w+/.exec(running.text)?.[0] ?? "";
    const hesitant = place.startAtTerminal(["approve", id, "--session"]);
    await answers(hesitant, ["n"]);
    expect([(await hesitant.ended).code, hesitant.text.includes("not answered")]).toEqual([2, true]);
    const sure = place.startAtTerminal(["approve", id]);
    await answers(sure, ["y"]);
    expect((await sure.ended).code).toBe(0);
    expect((await running.ended).code).toBe(0);
  });
});
