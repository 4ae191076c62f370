import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { storeConformance } from "./store.ts";

storeConformance("SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-store-"));
  const opened: Store[] = [];
  const open = async () => {
    const store = await openSqliteStore({
      path: join(folder, "home", "sallyport.db"),
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
    cleanup: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
});
