import { forgetWorkbenchData } from "./browser-data.ts";

const KEY = "sallyport.token";
const WORKED = "sallyport.token.worked";

/** Removes the token from the link, so that it does not stay in the address or the history. */
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

/** This browser's token; absent: nobody signed in here. */
export function readToken(): string | undefined {
  const linked = fromLink();
  if (linked !== undefined) keepToken(linked);
  return linked ?? globalThis.localStorage.getItem(KEY) ?? undefined;
}

export function keepToken(token: string): void {
  if (token !== globalThis.localStorage.getItem(KEY)) globalThis.localStorage.removeItem(WORKED);
  globalThis.localStorage.setItem(KEY, token);
}

/** Signs out: nothing of the person's tables stays in this browser either. */
export function forgetToken(): void {
  globalThis.localStorage.removeItem(KEY);
  globalThis.localStorage.removeItem(WORKED);
  forgetWorkbenchData();
}

/** Calls when another tab of this browser signs out. The answer stops it. */
export function onSignedOut(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === KEY && newValue === null) listener();
  };
  globalThis.addEventListener("storage", onStorage);
  return () => globalThis.removeEventListener("storage", onStorage);
}

/** The server has accepted the token at least once: a later refusal means that it was revoked. */
export function noteWorked(): void {
  globalThis.localStorage.setItem(WORKED, "1");
}

export function hasWorked(): boolean {
  return globalThis.localStorage.getItem(WORKED) !== null;
}
