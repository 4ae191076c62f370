import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { Place } from "../cli/place.ts";

const HOUR = 3_600_000;

/** `valid`, or the code of the refusal. */
async function stateOf(app: TestApp, token: string): Promise<string> {
  return new SallyportClient({ url: app.serving.url, token }).me().then(
    () => "valid",
    (error: { code: string }) => error.code,
  );
}

it("a token that expired stays expired when the clock is set back before a restart", async () => {
  const clock = new MovableClock({ stands: true });
  await using app = await openTestApp({}, { clock });
  const short = await app.client.createToken({ role: "agent", name: "short", expires_in_s: 120 });
  const long = await app.client.createToken({ role: "agent", name: "long", expires_in_s: 7_200 });
  // Nobody shows it after its time: only the time itself is kept.
  clock.pass(HOUR);
  clock.jump(-HOUR);
  await app.restart();
  expect(await stateOf(app, short.token)).toBe("unauthenticated");
  expect(await stateOf(app, long.token)).toBe("valid");
  expect((await app.client.health()).clock).toBe("set_back");
  // What is made now lives as long as it says, though the clock on the wall is an hour behind.
  const fresh = await app.client.createToken({ role: "agent", name: "fresh", expires_in_s: 120 });
  expect(await stateOf(app, fresh.token)).toBe("valid");
  clock.pass(120_000);
  expect(await stateOf(app, fresh.token)).toBe("unauthenticated");
  clock.jump(HOUR);
  await app.restart();
  expect((await app.client.health()).clock).toBe("ok");
  expect([await stateOf(app, short.token), await stateOf(app, long.token)]).toEqual(["unauthenticated", "valid"]);
});

it("the time is kept every minute; doctor tells of a clock behind it and of the file that forgets it", async () => {
  const clock = new MovableClock({ stands: true });
  await using app = await openTestApp({}, { clock });
  const { token } = await app.client.createToken({ role: "agent", name: "short", expires_in_s: 120 });
  clock.pass(120_000 + LIMITS.clockKeepMs);
  const { home } = app.place;
  await using place = new Place();
  const doctor = async (): Promise<readonly string[]> => {
    const { stdout } = await place.run(["--home", home, "doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; state: string; advice?: string }[] };
    return checks.filter(({ name }) => name === "clock").map(({ state, advice }) => `${state}: ${advice ?? ""}`);
  };
  expect(await doctor()).toEqual([]);
  clock.pass(HOUR);
  expect(await doctor()).toEqual([
    `warn: set the clock right; if the earlier time was wrong, stop the server and delete ${join(home, "seen-time")}`,
  ]);
  clock.jump(-2 * HOUR);
  await app.stop();
  await rm(join(home, "seen-time"));
  await app.restart();
  expect([(await app.client.health()).clock, await stateOf(app, token)]).toEqual(["ok", "valid"]);
});
