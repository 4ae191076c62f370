import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench } from "../conformance/engines/bench.ts";
import { bash } from "../conformance/engines/scenario.ts";
import type { BenchSession } from "../conformance/engines/session.ts";
import { TEST_SANDBOX } from "../support/server.ts";
import { KILLED_ENGINES, lacksProgram } from "../support/vendor/killed.ts";
import { noticed } from "../support/vendor/processes.ts";

const WORDS = "Not on a Friday.";
const VENDORS = KILLED_ENGINES.filter(({ engine }) => /^(?:codex|opencode)$/.test(engine));

async function killed(bench: Bench, session: BenchSession): Promise<void> {
  const { pid = 0 } = (await bench.vendor(session)) ?? {};
  process.kill(pid, "SIGKILL");
  await noticed([pid]);
}

describe.each(VENDORS)("the words with which a person stopped a turn: $engine", (vendor) => {
  it.skipIf(lacksProgram(vendor))("are told until a turn was completed with them", async () => {
    const { engine, api } = vendor;
    const bench = await Bench.open(engine, { api, sandbox: TEST_SANDBOX });
    try {
      const session = await bench.session();
      const stopped = await session.turn([bash("echo no"), { say: "Never said." }], {
        answer: () => ({ decision: "reject", feedback: WORDS, interrupt: true }),
      });
      expect(stopped.end).toMatchObject({ type: "turn.failed", error: { code: "rejected_and_stopped" } });
      await killed(bench, session);
      const record = join(bench.app.place.home, "engines", session.id, engine);
      const before = `${record}-before`;
      await cp(record, before, { recursive: true });
      // The next turn is told, but its process is killed too, and nothing of it was on the disk yet.
      const begun = await session.begin([bash("echo half")], { answer: () => undefined });
      await session.seen(
        (frame): frame is Extract<typeof frame, { type: "approval.requested" }> =>
          frame.type === "approval.requested" && frame.approval.turn_id === begun.id,
      );
      await killed(bench, session);
      const half = await session.finish(begun);
      expect(half.end).toMatchObject({ type: "turn.failed", error: { code: "engine_failed" } });
      expect(JSON.stringify(half.requests[0]?.messages)).toContain(WORDS);
      await rm(record, { recursive: true });
      await cp(before, record, { recursive: true });
      await rm(before, { recursive: true });
      const next = await session.turn([{ say: "Heard." }]);
      expect(next.end.type).toBe("turn.completed");
      const notes = JSON.stringify(next.requests[0]?.messages).split(WORDS).length - 1;
      expect(notes).toBeGreaterThan(0);
      // It has heard that now.
      const last = await session.turn([{ say: "On." }]);
      expect(JSON.stringify(last.requests[0]?.messages).split(WORDS).length - 1).toBe(notes);
    } finally {
      await bench.remove();
    }
  });
});
