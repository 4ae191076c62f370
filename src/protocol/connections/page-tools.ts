import { z } from "zod";
import { Tier } from "../sessions/approvals.ts";
import { ContentBlock } from "../journal/content.ts";
import { LIMITS } from "../limits.ts";

/** Tools of a web page on `/api/ws`: the page declares them, the server asks the page to run one, the page answers once. */

const session_id = z.string().max(100);
const command_id = z.string().min(1).max(200);
const call_id = z.string().max(100);
/** `mcp__<page>__<tool>` is what models see, so a page's name has no `__`. */
const page = z
  .string()
  .max(LIMITS.pageNameChars)
  .regex(/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, "must be letters, digits, - and single _");
const schema = z.record(z.string(), z.unknown());

const PageToolDeclaration = z
  .object({
    name: z
      .string()
      .max(LIMITS.pageNameChars)
      .regex(/^[A-Za-z0-9_-]+$/, "must be letters, digits, _ and -"),
    description: z.string().max(LIMITS.clientToolDescriptionChars),
    /** JSON Schema of an object. */
    input_schema: schema,
    /** JSON Schema of what the page answers as `json`. Absent: anything. */
    output_schema: schema.optional(),
    /** Absent: `page`. */
    tier: Tier.optional(),
    /** Absent: LIMITS.pageToolMs. */
    timeout_ms: z.number().int().min(1).max(LIMITS.pageToolMaxMs).optional(),
  })
  .strict();
export type PageToolDeclaration = z.infer<typeof PageToolDeclaration>;

/** What a page answers. Without both: it is done and has nothing to report. */
const PageToolResult = z
  .object({
    content: z.array(ContentBlock).optional(),
    /** Given to the model as JSON if there is no content; checked against the tool's `output_schema`. */
    json: z.unknown().optional(),
    /** The tool itself reports a failure. Absent: it succeeded. */
    is_error: z.boolean().optional(),
  })
  .strict();
export type PageToolResult = z.infer<typeof PageToolResult>;

/**
 * Why a page has no result. `failed`: the handler threw; `interrupted`: a reload ended it, its outcome is unknown; `unknown_tool`: the page no
 * longer has the tool; `invalid_input`: the page's own check refused the input, nothing ran; `too_large`: the result cannot be sent; `not_run`:
 * the page is being left, nothing ran.
 */
const PageToolFault = z.enum(["failed", "interrupted", "unknown_tool", "invalid_input", "too_large", "not_run"]);
export type PageToolFault = z.infer<typeof PageToolFault>;

/** The tools of a page replace those that it declared before. */
export const DeclareTools = z
  .object({
    type: z.literal("tools.declare"),
    command_id,
    session_id,
    page,
    /** Stays the same for the same page, across reloads: a page that returns with it gets the waiting calls. Must not be guessable. */
    instance: z.string().min(8).max(LIMITS.pageInstanceChars),
    tools: z.array(PageToolDeclaration).max(LIMITS.clientTools),
  })
  .strict();
export type DeclareTools = z.infer<typeof DeclareTools>;

export const WithdrawTools = z.object({ type: z.literal("tools.withdraw"), command_id, session_id, page }).strict();
export type WithdrawTools = z.infer<typeof WithdrawTools>;

/** Exactly one of `result` and `error`. */
export const AnswerCall = z
  .object({
    type: z.literal("tool.result"),
    call_id,
    result: PageToolResult.optional(),
    error: z
      .object({ code: PageToolFault, message: z.string().max(LIMITS.pageErrorChars) })
      .strict()
      .optional(),
  })
  .strict()
  .refine(({ result, error }) => (result === undefined) !== (error === undefined), "must have a result or an error");
export type AnswerCall = z.infer<typeof AnswerCall>;

export type PageMessage =
  | {
      readonly type: "tool.call";
      readonly session_id: string;
      readonly page: string;
      readonly call_id: string;
      /** The page's own name of it. */
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** How long the answer is waited for, from now. */
      readonly deadline_ms: number;
      /** 2: it was sent before, to a connection that is gone; it must not run again if it had begun. */
      readonly attempt: number;
    }
  /**
   * The call is over. `answered`: this page's answer was accepted; `late`: the answer came too late; `timed_out`, `cancelled`: it is no longer
   * waited for; `page_gone`: it was given up before.
   */
  | {
      readonly type: "tool.settled";
      readonly call_id: string;
      readonly how: "answered" | "late" | "timed_out" | "cancelled" | "page_gone";
    };
