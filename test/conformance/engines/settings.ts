import { expect } from "vitest";
import { marksIn } from "./model.ts";
import { bash, YES, type Scenario } from "./scenario.ts";

const switched: Scenario = {
  name: "another model takes over between turns, and knows what was said",
  async run(bench) {
    const session = await bench.session();
    const first = await session.turn([{ say: "The word is heliotrope." }]);
    await bench.client.configure(session.id, { model: "other" });
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
      await bench.client.configure(session.id, { permission_mode });
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
