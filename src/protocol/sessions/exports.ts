import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { PrincipalRef } from "../access/principals.ts";
import { CreateSession } from "./sessions.ts";

export const ExportFormat = z.enum(["markdown", "html", "json"]);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** What readers of a share link see beside prompts, answers and the names of tool calls. Absent: not shown. */
const shownParts = {
  /** What went into tools and came out of them. */
  tools: z.boolean().optional(),
  thoughts: z.boolean().optional(),
  costs: z.boolean().optional(),
};

export const ShareSession = z.strictObject({
  ...shownParts,
  /** Absent: seven days. */
  expires_in_s: z.number().int().min(60).max(LIMITS.shareMaxS).optional(),
});
export type ShareSession = z.infer<typeof ShareSession>;

/** A link that shows a session, as it was when the link was made, to anyone who has it. */
export const ShareView = z.object({
  id: z.string(),
  session_id: z.string(),
  ...shownParts,
  created_at: z.string(),
  created_by: PrincipalRef,
  expires_at: z.string(),
  /** The last event that is shown. */
  upto: z.number().int().nonnegative(),
});
export type ShareView = z.infer<typeof ShareView>;

/** `path` holds the link's secret: it is shown once. */
export const ShareCreated = ShareView.extend({ path: z.string() });
export type ShareCreated = z.infer<typeof ShareCreated>;
export const ShareList = z.object({ shares: z.array(ShareView) });
export type ShareList = z.infer<typeof ShareList>;

const longText = z.string().max(LIMITS.importChars);

const ImportedItem = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("message"), text: longText }),
  z.strictObject({ type: z.literal("thought"), text: longText }),
  z.strictObject({
    type: z.literal("tool"),
    tool: z.string().min(1).max(LIMITS.importNameChars),
    input: z.record(z.string(), z.unknown()),
    /** Absent: the call never ended. */
    output: z.string().max(LIMITS.importOutputChars).optional(),
    is_error: z.boolean().optional(),
  }),
]);
export type ImportedItem = z.infer<typeof ImportedItem>;

const ImportedTurn = z.strictObject({
  prompt: z.string().min(1).max(LIMITS.promptChars),
  /** When it was sent; absent: unknown. */
  at: z.iso.datetime({ offset: true }).optional(),
  items: z.array(ImportedItem).max(LIMITS.importItems),
});
export type ImportedTurn = z.infer<typeof ImportedTurn>;

/** A conversation that another program had, to read here and to continue. */
export const ImportedConversation = z.strictObject({
  /** The program: `claude-code`, `codex`, … */
  source: z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "lower-case letters, digits and dashes"),
  /** What that program calls the conversation; absent: unknown. */
  source_id: z.string().max(LIMITS.importNameChars).optional(),
  turns: z.array(ImportedTurn).min(1).max(LIMITS.importTurns),
});
export type ImportedConversation = z.infer<typeof ImportedConversation>;

/** `session`: the new session's settings, without a prompt. */
export const ImportSession = z.strictObject({
  conversation: ImportedConversation,
  session: CreateSession.optional(),
});
export type ImportSession = z.infer<typeof ImportSession>;
