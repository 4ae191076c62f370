export { openSqliteStore } from "./sqlite.ts";
export type * from "./store.ts";
