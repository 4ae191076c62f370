/** The link that a phone opens. Behind the `#`: no server and no log sees the code. */
export function pairingLink(origin: string, code: string): string {
  return `${origin}/#pair=${encodeURIComponent(code)}`;
}

/** Whether an address means the machine that uses it. */
export function isOnlyHere(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Takes a pairing code out of the address; undefined: there is none. */
export function takePairingCode(): string | undefined {
  const address = new URL(globalThis.location.href);
  const code = new URLSearchParams(address.hash.slice(1)).get("pair");
  if (code === null || code === "") return undefined;
  address.hash = "";
  globalThis.history.replaceState(globalThis.history.state, "", address);
  return code;
}
