const KEY_BYTES = 16;

/** Names one command, so that a second try is not done twice. Not `randomUUID`, which pages without https do not have. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
