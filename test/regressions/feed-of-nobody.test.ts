import { caller } from "../support/caller.ts";
import { expect, it } from "vitest";
import { Feed } from "../../src/sessions/lifecycle/feed.ts";
import type { Store } from "../../src/store/index.ts";

it("a feed that is opened for a socket that has just gone ends at once", async () => {
  const feed = new Feed({
    store: {} as Store,
    clock: { now: () => 0, elapsed: () => 0, after: () => () => undefined },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const batches = feed.open(caller("tok_1", "agent"), AbortSignal.abort());
  expect(await batches.next()).toEqual({ done: true, value: undefined });
});
