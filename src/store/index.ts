export { isDamagedPage } from "./sqlite/damage.ts";
export { DAMAGED_TOOL } from "./sqlite/damaged.ts";
export { stalledFailure } from "./failure.ts";
export type { Faults } from "./sqlite/messages.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./sqlite/open.ts";
export { StoreThread } from "./sqlite/thread.ts";
export type * from "./store.ts";
export type * from "./search.ts";
export { openTextSearch } from "./sqlite/search/open.ts";
