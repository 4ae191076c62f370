import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/protocol/index.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { openPool, untilPool } from "../../support/pool.ts";
import { until } from "../../support/until.ts";
import { isVendor, markedProcesses, signal } from "../../support/vendor/processes.ts";

// Where its processes can be found by their environment.
const HELLO = { engine: "claude-cli", sandbox: "local" as const, prompt: { text: script({ say: "Hello." }) } };

describe("a worker with a vendor's program in it", () => {
  it("has its program again after it was killed, and is taken by the next session with the same settings", async () => {
    await using app = await openPool({ min_workers: 1, max_workers: 3 }, { SALLYPORT_START_AHEAD: "on" });
    const first = await app.client.createSession(HELLO);
    await untilTurnEnds(app.client, first.id);
    await app.client.control(first.id, "close");
    const programs = (): readonly number[] =>
      markedProcesses(app.place)
        .filter(isVendor)
        .map(({ pid }) => pid);
    await until(async () => {
      // Once it starts, time stands still: it is real, and would be late.
      if (programs().length === 0) app.clock.pass(LIMITS.warmFollowMs);
      const { workers } = await app.client.workers();
      return workers.some(({ state, engine, program }) => state === "idle" && engine === "claude-cli" && program);
    });
    const killed = programs();
    expect(killed).toHaveLength(1);
    for (const pid of killed) signal(pid, "SIGKILL");
    await until(() => programs().every((pid) => !killed.includes(pid)));
    app.clock.pass(LIMITS.workerCheckMs);
    await until(() => programs().length === 1);
    await untilPool(app, { idle: 1, replaced: 0 });
    const again = programs();
    const next = await app.client.createSession(HELLO);
    expect((await untilTurnEnds(app.client, next.id)).at(-1)).toMatchObject({ type: "turn.completed" });
    expect(await app.client.pool()).toMatchObject({ taken: 1, replaced: 0 });
    expect(again).not.toEqual(killed);
  });
});
