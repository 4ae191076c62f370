import { useState } from "react";
import type { LineComment } from "../../../../protocol/index.ts";

/** Comments that were written and not sent yet, for as long as the tab is open. */
const keyOf = (sessionId: string): string => `sallyport.comments.${sessionId}`;

function isComment(value: unknown): value is LineComment {
  const { path, line, side, text } = (value ?? {}) as Partial<Record<keyof LineComment, unknown>>;
  return typeof path === "string" && typeof line === "number" && typeof text === "string" && typeof side === "string";
}

function readComments(sessionId: string): readonly LineComment[] {
  try {
    const kept: unknown = JSON.parse(globalThis.sessionStorage.getItem(keyOf(sessionId)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isComment) : [];
  } catch {
    return [];
  }
}

interface WrittenComments {
  readonly comments: readonly LineComment[];
  readonly add: (comment: LineComment) => void;
  readonly remove: (at: number) => void;
  readonly clear: () => void;
}

export function useComments(sessionId: string): WrittenComments {
  const [comments, setComments] = useState(() => readComments(sessionId));
  const keep = (next: readonly LineComment[]): void => {
    setComments(next);
    if (next.length === 0) globalThis.sessionStorage.removeItem(keyOf(sessionId));
    else globalThis.sessionStorage.setItem(keyOf(sessionId), JSON.stringify(next));
  };
  return {
    comments,
    add: (comment) => keep([...comments, comment]),
    remove: (at) => keep(comments.filter((_comment, index) => index !== at)),
    clear: () => keep([]),
  };
}
