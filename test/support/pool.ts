import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS, type PoolChange } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "./app.ts";
import { MovableClock } from "./clock.ts";
import { until } from "./until.ts";

/** With a clock that the test moves. */
type PoolApp = TestApp & { readonly clock: MovableClock };

/** The whole product with these settings of the pool. */
export async function openPool(pool: PoolChange, environment: Readonly<Record<string, string>> = {}): Promise<PoolApp> {
  const clock = new MovableClock();
  const prepare = async ({ home }: { readonly home: string }) => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ pool }), { mode: 0o600 });
    return () => Promise.resolve();
  };
  return Object.defineProperty(await openTestApp(environment, { clock, prepare }), "clock", {
    value: clock,
  }) as PoolApp;
}

/** The next worker is prepared a moment after something changed. */
export async function untilPool(app: PoolApp, counts: object): Promise<void> {
  await until(async () => {
    app.clock.pass(LIMITS.warmFollowMs);
    const pool = await app.client.pool();
    return Object.entries(counts).every(([name, count]) => pool[name as "idle"] === count);
  });
}
