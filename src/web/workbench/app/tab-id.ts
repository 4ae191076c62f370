const KEY = "sallyport.workbench.tab";
/** How long a reloaded tab waits for its old page to end, ms. */
const WAIT_MS = 2_000;

/** The same after a reload, and different in every other tab, including a copy of this one. */
export async function tabId(storage: Storage, locks: LockManager | undefined): Promise<string> {
  const known = storage.getItem(KEY);
  if (known !== null && (await isFree(known, locks))) return known;
  const fresh = crypto.randomUUID();
  storage.setItem(KEY, fresh);
  await isFree(fresh, locks);
  return fresh;
}

/** Takes the id for as long as the page lives. False: another tab has it. */
function isFree(id: string, locks: LockManager | undefined): Promise<boolean> {
  if (locks === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(WAIT_MS);
    locks
      .request(`${KEY}.${id}`, { signal }, () => {
        resolve(true);
        // Held until the page goes away.
        return new Promise<void>(() => {});
      })
      .catch(() => resolve(false));
  });
}
