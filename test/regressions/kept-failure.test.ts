import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApp } from "../../src/surfaces/app.ts";
import type { Guard } from "../../src/surfaces/guard.ts";
import type { SurfaceOptions } from "../../src/surfaces/surface.ts";
import { makePlace, type Place } from "../support/server.ts";

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await mkdir(join(place.workspace, "assets"));
});
afterAll(() => place.remove());

it("a part of a page that cannot be read is not kept for a year as a failure", async () => {
  const file = join(place.workspace, "assets", "part-1.js");
  await writeFile(file, "1");
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const offers = { serveSessions: () => undefined };
  const gateway = { whileStoring: (answer: Promise<void>) => answer, offers };
  const app = createApp(
    { web: place.workspace, log, gateway } as unknown as SurfaceOptions,
    { checkOrigin: () => undefined, connections: { checkRoom: () => undefined } } as unknown as Guard,
  );
  const read = async (): Promise<readonly unknown[]> => {
    const { status, headers } = await app.request(
      "/assets/part-1.js",
      {},
      { incoming: {}, outgoing: { getHeader: () => "id" } },
    );
    return [status, headers.get("cache-control")];
  };
  expect(await read()).toEqual([200, "public, max-age=31536000, immutable"]);
  await rm(file);
  expect(await read()).toEqual([500, "no-store"]);
});
