import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LiveTokens } from "../../src/sessions/access/live-tokens.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { MovableClock } from "../support/clock.ts";
import { makePlace } from "../support/server.ts";

/** The store, whose answer about a token comes when the test says so. */
function slowly(store: Store, meanwhile: () => Promise<void>): Store {
  return {
    ...store,
    commit: (...given) => store.commit(...given),
    read: {
      ...store.read,
      principal: (id) => store.read.principal(id),
      principalByHash: async (hash) => {
        const row = await store.read.principalByHash(hash);
        await meanwhile();
        return row;
      },
    },
  };
}

it.each(["it", "the one that it was made with"])(
  "a token is read while %s is deleted: what was read does not count",
  async (which) => {
    const place = await makePlace();
    const store = await openSqliteStore({
      path: join(place.workspace, "a.db"),
      onFatal: (error) => {
        throw error;
      },
    });
    const token_hash = createHash("sha256").update("token").digest("hex");
    const common = { name: "a", role: "agent" as const, created_at: new Date(0).toISOString(), bounds: {} };
    await store.commit({
      principals: [
        { ...common, id: "tok_maker", principal_id: "tok_maker", token_hash: "none" },
        { ...common, id: "tok_child", principal_id: "tok_child", token_hash, made_with: "tok_maker" },
      ],
    });
    const gone = which === "it" ? ["tok_child"] : ["tok_maker", "tok_child"];
    const live: LiveTokens = new LiveTokens({
      clock: new MovableClock(),
      store: slowly(store, async () => {
        await store.commit({ deletedPrincipals: gone });
        live.end(gone);
      }),
    });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(live.find(token_hash)).rejects.toMatchObject({ code: "unauthenticated" });
    await store.close();
    await place.remove();
  },
);
