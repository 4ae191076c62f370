export { isDamagedPage } from "./damage.ts";
export { DAMAGED_TOOL } from "./damaged.ts";
export { stalledFailure } from "./failure.ts";
export type { Faults } from "./messages.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./sqlite.ts";
export type * from "./store.ts";
