import { expect, it } from "vitest";
import { fuzz } from "../../support/fuzz.ts";
import { makePlace, startServer } from "../../support/server.ts";

it("stays up, whole and small under thousands of broken messages", async () => {
  const place = await makePlace();
  const server = await startServer(place);
  try {
    const { faults, sent } = await fuzz(server, { count: 4_000, seed: 1 });
    expect({ faults, enough: sent >= 4_000 }).toEqual({ faults: [], enough: true });
  } finally {
    await server.stop();
    await place.remove();
  }
});
