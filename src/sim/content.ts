import { createHash } from "node:crypto";
import { estimateTokens } from "./tokens.ts";
import { isFault, type Act, type Fields, type ModelRequest, type Reply } from "./wire.ts";

const SIGNATURE_MARK = "sim.";
const WORDS = ["one ", "more ", "word ", "of ", "the ", "stream "] as const;

/** A block of the model's message, as a response without streaming carries it. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Fields };

export function signatureOf(thinking: string): string {
  return SIGNATURE_MARK + createHash("sha256").update(thinking).digest("base64");
}

/** Signatures of other models cannot be checked and are believed. */
export function isSignature(signature: string, thinking: string): boolean {
  return !signature.startsWith(SIGNATURE_MARK) || signature === signatureOf(thinking);
}

/** The `number`th token of a `stream` step. */
export function tokenText(number: number): string {
  return WORDS[number % WORDS.length] ?? "";
}

export function messageId(request: ModelRequest): string {
  return `msg_${request.digest.slice(0, 24)}`;
}

/** `index` is the block's place in the message. */
export function toolUseId(request: ModelRequest, index: number): string {
  return `toolu_${request.digest.slice(0, 20)}${index.toString(16).padStart(4, "0")}`;
}

/** The blocks of a reply. */
export function contentOf(reply: Reply, request: ModelRequest): readonly ReplyBlock[] {
  const blocks: ReplyBlock[] = [];
  for (const act of reply.acts) {
    const block = blockOf(act, request, blocks.length);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function blockOf(act: Act, request: ModelRequest, index: number): ReplyBlock | undefined {
  if (isFault(act)) return undefined;
  switch (act.do) {
    case "say":
      return { type: "text", text: act.text };
    case "tokens":
      return { type: "text", text: Array.from({ length: act.count }, (_, number) => tokenText(number)).join("") };
    case "think":
      return { type: "thinking", thinking: act.text, signature: signatureOf(act.text) };
    case "tool":
      return { type: "tool_use", id: toolUseId(request, index), name: act.name, input: act.cut ? {} : act.input };
    case "wait":
      return undefined;
  }
}

/** The usage at the end of a reply, as the API reports it. */
export function usageOf(reply: Reply, request: ModelRequest): Fields {
  let output = 0;
  let thinking = 0;
  for (const act of reply.acts) {
    if (act.do === "say") output += estimateTokens(act.text);
    else if (act.do === "tokens") output += act.count;
    else if (act.do === "tool") output += estimateTokens(act.name) + estimateTokens(JSON.stringify(act.input));
    else if (act.do === "think") thinking += estimateTokens(act.text);
  }
  return {
    ...request.usage,
    output_tokens: Math.max(1, output + thinking),
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
    ...reply.usage,
  };
}
