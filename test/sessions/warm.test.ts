import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { MovableClock } from "../support/clock.ts";
import { openTestApp, script, untilTurnEnds } from "../support/app.ts";
import { leftBehind } from "../support/server.ts";

const HELLO = { engine: "claude-sdk", prompt: { text: script({ say: "Hello." }) } };

describe("sessions that are made ready ahead of time", () => {
  it("are taken by the next session with the same settings, keep their id, and leave nothing when nobody takes them", async () => {
    await using app = await openTestApp({ SALLYPORT_START_AHEAD: "on" });
    const engines = join(app.place.home, "engines");
    const first = await app.client.createSession(HELLO);
    await untilTurnEnds(app.client, first.id);
    const others = async (): Promise<readonly string[]> => (await readdir(engines)).filter((id) => id !== first.id);
    await expect.poll(others).toHaveLength(1);
    const ready = await others();
    // Until somebody takes it there is no such session.
    await expect(app.client.session(ready[0] ?? "")).rejects.toMatchObject({ code: "not_found" });
    const second = await app.client.createSession({ ...HELLO, metadata: { of: "another caller" } });
    expect({ id: second.id, metadata: second.settings.metadata }).toEqual({
      id: ready[0],
      metadata: { of: "another caller" },
    });
    const events = await untilTurnEnds(app.client, second.id);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    // Other settings, another start.
    const other = await app.client.createSession({ ...HELLO, max_turns: 3 });
    expect((await untilTurnEnds(app.client, other.id)).at(-1)).toMatchObject({ type: "turn.completed" });
    await app.restart();
    expect((await readdir(engines)).toSorted()).toEqual([first.id, second.id, other.id].toSorted());
    expect(await leftBehind(app.place)).toEqual([]);
  });

  it("are not made where the settings say so", async () => {
    const clock = new MovableClock();
    await using app = await openTestApp({ SALLYPORT_START_AHEAD: "off" }, { clock });
    const { id } = await app.client.createSession(HELLO);
    await untilTurnEnds(app.client, id);
    clock.pass(LIMITS.warmFollowMs);
    expect(await readdir(join(app.place.home, "engines"))).toEqual([id]);
  });
});
