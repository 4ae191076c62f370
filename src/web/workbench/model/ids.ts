const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
const GROUPS = 3;
const GROUP_LENGTH = 6;

/** `viewer-xxxxxx-xxxxxx-xxxxxx`; views and actions alike. */
export function newId(kind: "viewer" | "view" | "action"): string {
  const numbers = globalThis.crypto.getRandomValues(new Uint32Array(GROUPS * GROUP_LENGTH));
  const letters = [...numbers].map((number) => LETTERS[number % LETTERS.length]);
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    letters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH).join(""),
  );
  return [kind, ...groups].join("-");
}
