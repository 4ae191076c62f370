const PREFIX = "sallyport.workbench.";
/** What a person likes on this device; it says nothing about data. */
const PREFERENCES: ReadonlySet<string> = new Set([`${PREFIX}sizes`, `${PREFIX}downloads`]);
/** The database of the workbench's open tables. */
export const WORKBENCH_DATABASE = "sallyport.workbench";

/** Deletes the tables, layouts and queries that the workbench has stored in this browser, of all its tabs. */
export function forgetWorkbenchData(
  storage: Pick<Storage, "length" | "key" | "removeItem"> = globalThis.localStorage,
  databases: { readonly deleteDatabase: (name: string) => unknown } = globalThis.indexedDB,
): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) if (key?.startsWith(PREFIX) === true && !PREFERENCES.has(key)) storage.removeItem(key);
  try {
    databases.deleteDatabase(WORKBENCH_DATABASE);
  } catch {
    // A browser without a database has stored nothing in it.
  }
}
