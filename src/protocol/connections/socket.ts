import { z } from "zod";
import { Decision } from "../sessions/approvals.ts";
import { AnswerCall, DeclareTools, WithdrawTools, type PageMessage } from "./page-tools.ts";
import { ConfigureSession, CreateSession, ForkSession, Interrupt, SubmitPrompt } from "../sessions/sessions.ts";

const id = z.string().max(100);
/** A caller's own id for a command; the receipt returns it. A repeated one gets the first answer again. */
const command_id = z.string().min(1).max(200);
const session_id = z.string().max(100);

/** A client's message on `/api/ws`. The first must be `hello`. */
export const ClientMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), protocol: z.string().max(20) }).strict(),
  z.object({ type: z.literal("subscribe"), session_id, after: z.number().int().nonnegative().optional() }).strict(),
  z.object({ type: z.literal("unsubscribe"), session_id }).strict(),
  /** Every session and approval that the caller may see, as they change. */
  z.object({ type: z.literal("feed") }).strict(),
  z.object({ type: z.literal("create"), command_id, session: CreateSession }).strict(),
  z.object({ type: z.literal("prompt"), command_id, session_id, prompt: SubmitPrompt }).strict(),
  z.object({ type: z.literal("interrupt"), command_id, session_id, ...Interrupt.shape }).strict(),
  z.object({ type: z.literal("pause"), command_id, session_id }).strict(),
  z.object({ type: z.literal("resume"), command_id, session_id }).strict(),
  z.object({ type: z.literal("close"), command_id, session_id }).strict(),
  z.object({ type: z.literal("fork"), command_id, session_id, fork: ForkSession.optional() }).strict(),
  z.object({ type: z.literal("configure"), command_id, session_id, settings: ConfigureSession }).strict(),
  z.object({ type: z.literal("decide"), command_id, approval_id: id, decision: Decision }).strict(),
  DeclareTools,
  WithdrawTools,
  AnswerCall,
  z.object({ type: z.literal("ping") }).strict(),
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

/** The server's messages besides events and deltas, which are sent unchanged. */
export type ServerMessage =
  | { readonly type: "welcome"; readonly protocol: string; readonly server: string }
  | { readonly type: "subscribed"; readonly session_id: string; readonly after: number }
  /** `ended`: the session has ended and all of its journal was sent. */
  | { readonly type: "unsubscribed"; readonly session_id: string; readonly ended?: boolean }
  /** Sent again when too much waited for this client and was dropped: it must read the lists again. */
  | { readonly type: "feeding" }
  | { readonly type: "receipt"; readonly command_id: string; readonly result: unknown }
  | {
      readonly type: "refused";
      readonly command_id?: string;
      /** The session of the refused `subscribe`. */
      readonly session_id?: string;
      /** The `feed` was refused. */
      readonly feed?: true;
      readonly error: { readonly code: string; readonly message: string; readonly details?: unknown };
    }
  | PageMessage
  | { readonly type: "pong" };
