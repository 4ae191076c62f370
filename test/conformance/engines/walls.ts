import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { Failure } from "../../../src/protocol/index.ts";
import { withServer } from "./lives.ts";
import { begunSleep, firstProcesses, ownSleep, sleeping } from "./processes.ts";
import { bash, YES, type Scenario } from "./scenario.ts";
import type { BenchSession, Turn } from "./session.ts";
import { goesOn } from "./stops.ts";

/** A vendor's program may have been in there: then the turn ends with it, once, and the session goes on. */
async function endsOnce(session: BenchSession, turn: Turn, before: string): Promise<"completed" | "failed"> {
  const { end } = turn;
  if (end.type === "turn.failed") expect(end.error.code).toBe("engine_failed");
  await goesOn(session, end.type === "turn.completed" ? turn.mark : before);
  return end.type === "turn.completed" ? "completed" : "failed";
}

const killedRunning: Scenario = {
  name: "its sandbox is killed while a command runs: the call ends with the reason, the session goes on",
  async run(bench) {
    const session = await bench.session();
    const before = await session.turn([{ say: "Ready." }]);
    const time = ownSleep();
    const begun = await session.begin([bash(`sleep ${time}`), bash("echo again"), { say: "Done." }]);
    const pid = await begunSleep(time);
    for (const first of await firstProcesses({ pid })) process.kill(first, "SIGKILL");
    const turn = await session.finish(begun);
    const how = await endsOnce(session, turn, before.mark);
    const [call, ...rest] = turn.calls.map(({ status }) => status);
    expect(call).toBe(how === "completed" ? "failed" : "interrupted");
    expect(rest).toEqual(how === "completed" ? ["completed"] : []);
    expect(await sleeping(time)).toBeUndefined();
    await bench.end(session);
    return YES;
  },
};

/** What a call may have written, by what was told of it. A sandbox that is just ending starts nothing. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  completed: ["after\n"],
  failed: [""],
  interrupted: ["", "after\n"],
};

const killedAsking: Scenario = {
  name: "its sandbox is killed while a person is asked: what is approved runs once, or not at all",
  async run(bench) {
    const session = await bench.session();
    const { workspace } = bench;
    const mark = join(workspace, `mark-${session.id}`);
    await writeFile(mark, "");
    const before = await session.turn([bash("echo up"), { say: "Ready." }]);
    const file = `after-${session.id}.txt`;
    const steps = [bash(`echo after >> ${file}`), { say: "Done." }];
    const begun = await session.begin(steps, { answer: () => undefined });
    const { id, input_hash } = (await session.kind("approval.requested", begun.from)).approval;
    const found = await firstProcesses({ file: mark });
    expect(found.length).toBeGreaterThan(0);
    for (const first of found) process.kill(first, "SIGKILL");
    await session.client.decide(id, { decision: "approve", input_hash }).catch((error: unknown) => {
      // The turn has ended with a vendor's program that was in there.
      if (!(error instanceof Failure) || error.code !== "already_answered") throw error;
    });
    const turn = await session.finish(begun);
    await endsOnce(session, turn, before.mark);
    const text = await readFile(join(workspace, file), "utf8").catch(() => "");
    expect(OUTCOMES[turn.calls[0]?.status ?? ""]).toContain(text);
    await bench.end(session);
    return YES;
  },
};

const serverKilled: Scenario = {
  name: "the server is killed while a command runs: it ends, is told as interrupted, and is not run again",
  run: (bench) =>
    withServer(bench, async (server, session) => {
      const time = ownSleep();
      const begun = await session.begin([bash(`echo once >> once.txt; sleep ${time}`), { say: "Done." }]);
      await begunSleep(time);
      await server.killed();
      const turn = await session.finish(begun);
      expect(await sleeping(time)).toBeUndefined();
      expect(turn.end.type).toBe("turn.completed");
      expect(turn.calls.map(({ status }) => status)).toEqual(["interrupted"]);
      expect(turn.frames.filter(({ type }) => type === "approval.requested")).toHaveLength(1);
      expect(await readFile(join(server.place.workspace, "once.txt"), "utf8")).toBe("once\n");
      return YES;
    }),
};

/** What only a sandbox with walls is put through. */
export const WALLED: readonly Scenario[] = [killedRunning, killedAsking, serverKilled];
