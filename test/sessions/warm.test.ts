import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { MovableClock } from "../support/clock.ts";
import { openTestHouse, script, untilTurnEnds } from "../support/house.ts";
import { leftBehind } from "../support/server.ts";

const HELLO = { engine: "claude-sdk", prompt: { text: script({ say: "Hello." }) } };

describe("sessions that are made ready ahead of time", () => {
  it("are taken by the next session with the same settings, keep their id, and leave nothing when nobody takes them", async () => {
    await using house = await openTestHouse({ SALLYPORT_START_AHEAD: "on" });
    const engines = join(house.place.home, "engines");
    const first = await house.client.createSession(HELLO);
    await untilTurnEnds(house.client, first.id);
    const others = async (): Promise<readonly string[]> => (await readdir(engines)).filter((id) => id !== first.id);
    await expect.poll(others).toHaveLength(1);
    const ready = await others();
    // Until somebody takes it there is no such session.
    await expect(house.client.session(ready[0] ?? "")).rejects.toMatchObject({ code: "not_found" });
    const second = await house.client.createSession({ ...HELLO, metadata: { of: "another caller" } });
    expect({ id: second.id, metadata: second.settings.metadata }).toEqual({
      id: ready[0],
      metadata: { of: "another caller" },
    });
    const events = await untilTurnEnds(house.client, second.id);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    // Other settings, another start.
    const other = await house.client.createSession({ ...HELLO, max_turns: 3 });
    expect((await untilTurnEnds(house.client, other.id)).at(-1)).toMatchObject({ type: "turn.completed" });
    await house.restart();
    expect((await readdir(engines)).toSorted()).toEqual([first.id, second.id, other.id].toSorted());
    expect(await leftBehind(house.place)).toEqual([]);
  });

  it("are not made where the settings say so", async () => {
    const clock = new MovableClock();
    await using house = await openTestHouse({ SALLYPORT_START_AHEAD: "off" }, { clock });
    const { id } = await house.client.createSession(HELLO);
    await untilTurnEnds(house.client, id);
    clock.pass(LIMITS.warmFollowMs);
    expect(await readdir(join(house.place.home, "engines"))).toEqual([id]);
  });
});
