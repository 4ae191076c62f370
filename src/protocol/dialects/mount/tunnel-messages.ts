import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { ClaudeChunk, ClaudeRequest } from "./types.ts";

const session_id = z.string().min(1).max(200);

/** What one side has received of the other's bytes and messages. */
export const TunnelProgress = z
  .object({ bytes: z.number().int().nonnegative(), messages: z.number().int().nonnegative() })
  .strict();
export type TunnelProgress = z.infer<typeof TunnelProgress>;

/** A challenge, or the response to one: judged by whoever knows the tunnel's kind of authentication. */
const AuthFields = z.record(z.string().max(100), z.string().max(500));

const LinkState = TunnelProgress.extend({ id: z.string().min(1).max(100) }).strict();

/** Document 003's messages, as it writes them. */
const DOCUMENT_MESSAGES = [
  z.object({ type: z.literal("create_session"), request: ClaudeRequest, session_id }),
  z.object({ type: z.literal("session_created"), session_id }),
  z.object({ type: z.literal("prompt"), session_id, content: z.string().min(1).max(LIMITS.promptChars) }),
  ClaudeChunk.extend({ type: z.literal("chunk") }),
  z.object({ type: z.literal("tool_approval"), session_id, tool: z.string().max(500), params: z.unknown() }),
  z.object({ type: z.literal("tool_approval_response"), session_id, approved: z.boolean() }),
  z.object({ type: z.literal("stop"), session_id }),
  // Of the whole tunnel where it names no session.
  z.object({ type: z.literal("error"), session_id: z.string().max(200), error: z.string().max(10_000) }),
  // Its reference implementation has these two as well.
  z.object({ type: z.literal("pause"), session_id }),
  z.object({ type: z.literal("resume"), session_id }),
] as const;

export const TunnelMessage = z.discriminatedUnion("type", [...DOCUMENT_MESSAGES]);
export type TunnelMessage = z.infer<typeof TunnelMessage>;

/** What two sides say to each other before, and beside, the document's messages. */
export const TunnelHandshake = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("hello"),
      version: z.literal(1),
      /** Which side serves: the one with the models. */
      role: z.enum(["home", "gateway"]),
      tunnel_id: z.string().min(1).max(100),
      /** A link that was cut. Absent: a new one. */
      link: LinkState.optional(),
    })
    .strict(),
  z.object({ type: z.literal("challenge"), challenge: AuthFields }).strict(),
  z.object({ type: z.literal("auth"), response: AuthFields }).strict(),
  z
    .object({
      type: z.literal("welcome"),
      link: LinkState,
      /** That this side has the pre-shared key too. Absent: there is none. */
      proof: z.string().max(200).optional(),
    })
    .strict(),
  TunnelProgress.extend({ type: z.literal("ack") }).strict(),
  z.object({ type: z.literal("error"), session_id: z.string().max(200), error: z.string().max(10_000) }),
]);
export type TunnelHandshake = z.infer<typeof TunnelHandshake>;
