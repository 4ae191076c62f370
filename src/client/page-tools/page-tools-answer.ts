import { CLIENT_LIMITS } from "../../protocol/limits/client.ts";
import type { AnswerCall, ContentBlock, PageToolFault, PageToolResult } from "../../protocol/index.ts";

type AnswerObject = Readonly<Record<string, unknown>>;

/** The nesting of the message and of its `result`. */
const WRAPPING_LEVELS = 2;

/** The answer to a call from what its handler returned. What cannot be sent becomes an error that says why. */
export function answerWith(call_id: string, value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify({ type: "tool.result", call_id, result: resultOf(value) } satisfies AnswerCall);
  } catch (error) {
    return fault(call_id, "failed", `its result cannot be written as JSON: ${wordsOf(error)}`);
  }
  // Fast path: most answers are far from every bound.
  if (typeof value === "string" && text.length * 3 <= CLIENT_LIMITS.pageResultBytes) return text;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > CLIENT_LIMITS.pageResultBytes)
    return fault(
      call_id,
      "too_large",
      `it ran, but its result has ${bytes} bytes, at most ${CLIENT_LIMITS.pageResultBytes} can be sent`,
    );
  if (depthOf(text) > CLIENT_LIMITS.jsonDepth)
    return fault(
      call_id,
      "too_large",
      `it ran, but its result is nested more than ${CLIENT_LIMITS.jsonDepth - WRAPPING_LEVELS} deep`,
    );
  return text;
}

export function fault(call_id: string, code: PageToolFault, words: string): string {
  const message = words.slice(0, CLIENT_LIMITS.pageErrorChars);
  return JSON.stringify({ type: "tool.result", call_id, error: { code, message } } satisfies AnswerCall);
}

export function wordsOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}

/** A string is a text, `{ content: […] }` is MCP's form, and everything else is JSON. */
function resultOf(value: unknown): PageToolResult {
  if (value === undefined) return {};
  if (typeof value === "string") return { content: [{ type: "text", text: value }] };
  const { content, structuredContent, isError } = (value ?? {}) as AnswerObject;
  if (!Array.isArray(content)) return { json: value };
  return {
    content: content.map((block) => blockOf((block ?? {}) as AnswerObject)),
    ...(structuredContent === undefined ? {} : { json: structuredContent }),
    ...(isError === true ? { is_error: true } : {}),
  };
}

/** Texts and images unchanged, in MCP's form or ours; what models cannot be shown becomes JSON. */
function blockOf(block: AnswerObject): ContentBlock {
  const { type, text, data } = block;
  if (type === "text" && typeof text === "string") return { type, text };
  const media_type = imageType(block["media_type"] ?? block["mimeType"]);
  if (type === "image" && media_type !== undefined && typeof data === "string") return { type, media_type, data };
  return { type: "text", text: JSON.stringify(block) };
}

function imageType(name: unknown): Extract<ContentBlock, { type: "image" }>["media_type"] | undefined {
  return (["image/png", "image/jpeg", "image/gif", "image/webp"] as const).find((known) => known === name);
}

/** How deep the brackets of a JSON text go. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === "[" || mark === "{") {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (mark === "]" || mark === "}") depth -= 1;
  }
  return deepest;
}
