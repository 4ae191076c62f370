/** A member with a plain value, and the comma after it. */
const MEMBER = /\s*"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|null)\s*,/y;
const RESULT = /\s*"(?:result|error)"\s*:/y;

/** What the beginning of a message says about it. `id`: null if unknown. */
export interface MessageHead {
  readonly id: string | number | null;
  readonly kind: "request" | "response" | "unknown";
}

/** Reads the members before the first long one: libraries write a message's id first. */
export function headOf(start: Uint8Array): MessageHead {
  const text = Buffer.from(start).toString("utf8");
  const members = new Map<string, string>();
  let at = /^\s*\{/.exec(text)?.[0].length ?? text.length;
  for (let member = matchAt(MEMBER, text, at); member !== null; member = matchAt(MEMBER, text, at)) {
    members.set(member[1] ?? "", member[2] ?? "");
    at += member[0].length;
  }
  const id = idOf(members.get("id"));
  if (id === null) return { id, kind: "unknown" };
  if (members.has("method")) return { id, kind: "request" };
  // The id of an answer is one of ours, and must not be mistaken for the editor's.
  return matchAt(RESULT, text, at) === null ? { id: null, kind: "unknown" } : { id, kind: "response" };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function idOf(json: string | undefined): string | number | null {
  if (json === undefined) return null;
  try {
    return JSON.parse(json) as string | number | null;
  } catch {
    return null;
  }
}
