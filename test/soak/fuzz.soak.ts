import { expect, it } from "vitest";
import { fuzz } from "../support/fuzz.ts";
import { makePlace, startServer } from "../support/server.ts";

const MESSAGES = Number(process.env["SOAK_MESSAGES"] ?? 100_000);
const MEMORY_GROWTH_MIB = 128;

it(`takes ${MESSAGES} broken messages`, { timeout: 3_600_000 }, async () => {
  const place = await makePlace();
  const server = await startServer(place);
  try {
    const fuzzed = await fuzz(server, { count: MESSAGES, seed: Number(process.env["SOAK_SEED"] ?? 7) });
    console.log(
      `soak: ${JSON.stringify({ sent: fuzzed.sent, statuses: fuzzed.statuses, memory_mib: fuzzed.memoryMib, faults: fuzzed.faults.length })}`,
    );
    const [early, late] = fuzzed.memoryMib;
    expect({ faults: fuzzed.faults, flat: late - early < MEMORY_GROWTH_MIB }).toEqual({ faults: [], flat: true });
  } finally {
    await server.stop();
    await place.remove();
  }
});
