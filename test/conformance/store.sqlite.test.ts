import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { storeConformance } from "./store.ts";

storeConformance("SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-store-"));
  const path = join(folder, "home", "sallyport.db");
  const opened: Store[] = [];
  const open = async () => {
    const store = await openSqliteStore({
      path,
      tuning: { busyMs: 20, retryMs: 2, closeMs: 20 },
      onFatal: (error) => {
        throw error;
      },
    });
    opened.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    hold: async () => {
      const other = (await loadSqlite())(path);
      other.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
      return async () => {
        other.exec("COMMIT");
        other.close();
      };
    },
    cleanup: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
});
