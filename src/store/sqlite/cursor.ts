import { Failure } from "../../protocol/index.ts";

/** The last row of a page: the next page starts after it. */
export interface PageEnd {
  readonly at: string;
  readonly id: string;
}

export type ListName = "sessions" | "approvals" | "audit" | "principals" | "keys";

export function toCursor(list: ListName, { at, id }: PageEnd): string {
  return Buffer.from(JSON.stringify([list, at, id])).toString("base64url");
}

/** Accepts only a cursor of the same list. */
export function fromCursor(list: ListName, cursor: string): PageEnd {
  const [name, at, id, ...rest] = decoded(cursor);
  if (name !== list || typeof at !== "string" || typeof id !== "string" || rest.length > 0) throw invalid();
  return { at, id };
}

function decoded(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(value)) return value;
  } catch {
    // The error below covers this.
  }
  throw invalid();
}

function invalid(): Failure {
  return new Failure("cursor_invalid", "This cursor is not one of this list: start again without a cursor.");
}
