const KEY = "sallyport.token";
const WORKED = "sallyport.token.worked";

/** Takes the token out of the link that brought the person here, so that it does not stay in the address or the history. */
function fromLink(): string | undefined {
  const address = new URL(globalThis.location.href);
  const inHash = new URLSearchParams(address.hash.slice(1)).get("token");
  const token = address.searchParams.get("token") ?? inHash;
  if (token === null || token === "") return undefined;
  address.searchParams.delete("token");
  if (inHash !== null) address.hash = "";
  globalThis.history.replaceState(globalThis.history.state, "", address);
  return token;
}

/** The token of this browser; absent: nobody signed in here. */
export function readToken(): string | undefined {
  const linked = fromLink();
  if (linked !== undefined) keepToken(linked);
  return linked ?? globalThis.localStorage.getItem(KEY) ?? undefined;
}

export function keepToken(token: string): void {
  if (token !== globalThis.localStorage.getItem(KEY)) globalThis.localStorage.removeItem(WORKED);
  globalThis.localStorage.setItem(KEY, token);
}

export function forgetToken(): void {
  globalThis.localStorage.removeItem(KEY);
  globalThis.localStorage.removeItem(WORKED);
}

/** The server has taken the token at least once: if it refuses it later, it was taken back. */
export function noteWorked(): void {
  globalThis.localStorage.setItem(WORKED, "1");
}

export function hasWorked(): boolean {
  return globalThis.localStorage.getItem(WORKED) !== null;
}
