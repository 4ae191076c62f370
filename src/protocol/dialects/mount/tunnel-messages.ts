import { z } from "zod";
import { ErrorCode } from "../../errors.ts";
import { ItemStatus } from "../../journal/items.ts";
import { LIMITS } from "../../limits.ts";
import { MicroUsd } from "../../models/money.ts";
import { ClaudeChunk, ClaudeRequest } from "./types.ts";

const session_id = z.string().min(1).max(200);
const name = z.string().min(1).max(200);

/** The gateway's turn. Absent: the other side knows the document alone, which has no turns. */
const turn_id = name.optional();
/** What the session is called at home. Absent: it has no name there yet, or the other side knows the document alone. */
const home_session_id = name.optional();

/** What one side has received of the other's bytes and messages. */
export const TunnelProgress = z
  .object({ bytes: z.number().int().nonnegative(), messages: z.number().int().nonnegative() })
  .strict();
export type TunnelProgress = z.infer<typeof TunnelProgress>;

/** A challenge, or the response to one: judged by whoever knows the tunnel's kind of authentication. */
const AuthFields = z.record(z.string().max(100), z.string().max(500));

const LinkState = TunnelProgress.extend({ id: z.string().min(1).max(100) }).strict();

/** Document 003's messages, as it writes them. Optional fields are ours: who knows the document alone leaves them out. */
const DOCUMENT_MESSAGES = [
  z.object({
    type: z.literal("create_session"),
    request: ClaudeRequest,
    session_id,
    /** Each prompt names its turn and what it may cost, and each turn tells its cost. Absent: the session is told from its beginning. */
    by_turn: z.literal(true).optional(),
    home_session_id,
  }),
  z.object({ type: z.literal("session_created"), session_id, home_session_id }),
  z.object({
    type: z.literal("prompt"),
    session_id,
    content: z.string().min(1).max(LIMITS.promptChars),
    turn_id,
    /** The most that the turn may cost, in micro-USD. */
    max_cost_usd: MicroUsd.optional(),
  }),
  ClaudeChunk.extend({
    type: z.literal("chunk"),
    turn_id,
    /** The call that it is about. */
    call_id: name.optional(),
    /** With `tool_done`: how the call ended. */
    status: ItemStatus.optional(),
    /** With `error`: the turn has failed with it. Absent: it goes on. */
    code: ErrorCode.optional(),
    /** With the end of a turn: the most that it has cost, in micro-USD. */
    cost_usd: MicroUsd.optional(),
  }),
  z.object({
    type: z.literal("tool_approval"),
    session_id,
    tool: z.string().max(500),
    params: z.unknown(),
    turn_id,
    request_id: name.optional(),
    call_id: name.optional(),
    /** What a person at home is shown of the call. */
    preview: z.unknown().optional(),
    /** Whether the owner of the machine lets the other side answer. */
    may_answer: z.boolean().optional(),
  }),
  // From home: somebody there answered it, or nobody did in time.
  z.object({
    type: z.literal("tool_approval_response"),
    session_id,
    approved: z.boolean(),
    request_id: name.optional(),
    feedback: z.string().max(LIMITS.feedbackChars).optional(),
    /** With a no: the turn ends with it, and the model is not asked again. */
    interrupt: z.boolean().optional(),
  }),
  z.object({ type: z.literal("stop"), session_id, home_session_id }),
  // Of the whole tunnel where it names no session.
  z.object({
    type: z.literal("error"),
    session_id: z.string().max(200),
    error: z.string().max(10_000),
    turn_id,
    code: ErrorCode.optional(),
  }),
  // Its reference implementation has these two as well.
  z.object({ type: z.literal("pause"), session_id }),
  z.object({ type: z.literal("resume"), session_id }),
  // Ours: ends the turn and not the session; and the answer to `stop`.
  z.object({ type: z.literal("interrupt"), session_id, home_session_id, turn_id }),
  z.object({ type: z.literal("stopped"), session_id }),
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
