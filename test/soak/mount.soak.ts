import { expect, it } from "vitest";
import { script } from "../support/app.ts";
import { makePlace, startServer, TEST_TOKEN } from "../support/server.ts";
import { metric, openMany, untilUnwatched } from "../surfaces/mount/opens.ts";
import { Files } from "../surfaces/mount/world.ts";

const OPENS = 10_000;
/** What a heap may differ by between two looks at it without anything being kept. */
const NOISE_BYTES = 24_000_000;

it(`memory stays flat over ${OPENS} opens of a session's files`, { timeout: 600_000 }, async () => {
  const place = await makePlace();
  const server = await startServer(place);
  try {
    const files = new Files(server.url, TEST_TOKEN);
    const folder = await files.create({ initial_prompt: script({ stream: { tokens: 2_000, per_second: 100_000 } }) });
    await files.outputUntilIdle(folder);
    await openMany(files, folder, OPENS / 5);
    const before = await metric(files, "process_resident_memory_bytes");
    await openMany(files, folder, OPENS);
    await untilUnwatched(files);
    const after = await metric(files, "process_resident_memory_bytes");
    console.log(`soak: ${JSON.stringify({ opens: OPENS, before_bytes: before, after_bytes: after })}`);
    expect(after - before).toBeLessThan(NOISE_BYTES);
  } finally {
    await server.stop();
    await place.remove();
  }
});
