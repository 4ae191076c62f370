import { expect } from "vitest";
import { Failure } from "../../../src/protocol/index.ts";
import { marksIn } from "./model.ts";
import { bash, NO, YES, type Scenario } from "./scenario.ts";

const KEPT = "kept";

/** A session that keeps to what it was told when it began. */
function unsupported(error: unknown): typeof KEPT {
  if (!(error instanceof Failure) || error.code !== "unsupported") throw error;
  return KEPT;
}

const switched: Scenario = {
  name: "another model takes over between turns, and knows what was said",
  async run(bench) {
    const session = await bench.session();
    const first = await session.turn([{ say: "The word is heliotrope." }]);
    const refused = await bench.client.configure(session.id, { model: "other" }).catch(unsupported);
    if (refused === KEPT) {
      await bench.end(session);
      return NO;
    }
    const second = await session.turn([{ say: "I am another." }]);
    expect(second.end.type).toBe("turn.completed");
    expect(new Set(first.requests.map(({ model }) => model))).toEqual(new Set(["sim"]));
    expect(new Set(second.requests.map(({ model }) => model))).toEqual(new Set(["other"]));
    expect(second.requests.map(marksIn).at(-1)).toEqual([first.mark, second.mark]);
    expect(JSON.stringify(second.requests.at(-1)?.messages)).toContain("The word is heliotrope.");
    expect(second.notices).toEqual([]);
    await bench.end(session);
    return YES;
  },
};

const modes: Scenario = {
  name: "the mode is switched: what may run, and what the model is told of, follows",
  async run(bench) {
    const session = await bench.session();
    const seen: string[][] = [];
    for (const permission_mode of ["plan", "bypassPermissions", "default"] as const) {
      const refused = await bench.client.configure(session.id, { permission_mode }).catch(unsupported);
      if (refused === KEPT) {
        await bench.end(session);
        return NO;
      }
      const turn = await session.turn([bash("echo called"), { say: "Done." }]);
      expect(turn.end.type).toBe("turn.completed");
      const offered = turn.requests.at(-1)?.tools?.some(({ name }) => name.endsWith("Bash")) === true;
      const asked = turn.frames.some(({ type }) => type === "approval.requested");
      seen.push([permission_mode, offered ? "offered" : "", asked ? "asked" : "", turn.calls[0]?.status ?? ""]);
    }
    await bench.end(session);
    const [plan, ...others] = seen;
    expect(plan?.slice(0, 3)).toEqual(["plan", "", ""]);
    expect(plan?.[3]).not.toBe("completed");
    expect(others).toEqual([
      ["bypassPermissions", "offered", "", "completed"],
      ["default", "offered", "asked", "completed"],
    ]);
    return YES;
  },
};

export const SETTINGS: readonly Scenario[] = [switched, modes];
