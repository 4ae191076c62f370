import { z } from "zod";
import { Decision } from "../../sessions/approvals.ts";
import { Prompt } from "../../journal/content.ts";
import { LIMITS } from "../../limits.ts";
import { ThreadMapping } from "./rows.ts";

/** The agents that document 002's settings offer. */
export const BridgeProvider = z.enum(["codex", "opencode", "claude"]);
export type BridgeProvider = z.infer<typeof BridgeProvider>;

/** How an agent should answer. Its words are added to the agent's instructions; a session keeps what it began with. */
export const OUTPUT_STYLES = {
  default: "",
  concise: "Answer in as few words as the matter allows. Leave out introductions, repetitions and closing remarks.",
  explanatory:
    "While you work, explain briefly why you chose what you do, what the code around it does, and what a reader should know about it.",
  learning:
    "Work with a person who wants to learn: explain each step in plain words, and leave small parts that they can write themselves, marked with TODO and a hint.",
} as const satisfies Readonly<Record<string, string>>;
export const OutputStyle = z.enum(Object.keys(OUTPUT_STYLES) as [keyof typeof OUTPUT_STYLES]);
export type OutputStyle = z.infer<typeof OutputStyle>;

/** `quiet`: no thoughts, no rows of what is still growing, and outputs of tools that ended well by their length alone. */
export const BridgeVerbosity = z.enum(["normal", "quiet"]);
export type BridgeVerbosity = z.infer<typeof BridgeVerbosity>;

const model = z.string().min(1).max(200);
const threadId = z.string().min(1).max(100);
/** A session's or thread's id; `new` and `none`: a new one; `last`: the caller's newest. */
const resumeId = threadId;

/** What a client sends at `/bridge`. Unknown fields are ignored: older clients send some. */
export const BridgeControl = z.discriminatedUnion("control", [
  z.object({
    control: z.literal("run.submit"),
    text: Prompt.shape.text,
    cwd: z.string().min(1).max(LIMITS.pathChars).optional(),
    provider: BridgeProvider.optional(),
    /** One of the server's engines by its own name, instead of the provider's. */
    engine: z.string().min(1).max(100).optional(),
    resumeId: resumeId.optional(),
    model: model.optional(),
    outputStyle: OutputStyle.optional(),
    /** A repeated key returns the run that the first one started. */
    idempotencyKey: z.string().min(1).max(200).optional(),
  }),
  /** Without `threadId`: the newest run of this socket, or the only one that is open. */
  z.object({ control: z.literal("run.abort"), threadId: threadId.optional() }),
  z.object({ control: z.literal("provider.select"), provider: BridgeProvider }),
  /** Without `sessionId`: the caller's newest. `null`, `new` and `none` switch it off. */
  z.object({ control: z.literal("claude.session.resume"), sessionId: resumeId.nullish() }),
  z.object({ control: z.literal("mapping.select"), mapping: ThreadMapping }),
  /** For this socket's next runs; `null`: the server's own again; absent: unchanged. */
  z.object({
    control: z.literal("options.select"),
    model: model.nullish(),
    outputStyle: OutputStyle.nullish(),
    verbosity: BridgeVerbosity.nullish(),
  }),
  /** Answers an `approval.requested` row: `inputHash` is its `input_hash`. */
  z.object({
    control: z.literal("approval.answer"),
    approvalId: z.string().min(1).max(100),
    inputHash: Decision.shape.input_hash.max(100),
    decision: Decision.shape.decision,
    feedback: Decision.shape.feedback,
    scope: Decision.shape.scope,
    updatedInput: Decision.shape.updated_input,
    /** With `reject`: end the turn too. */
    interrupt: Decision.shape.interrupt,
  }),
  z.object({ control: z.literal("bridge.status") }),
]);
export type BridgeControl = z.infer<typeof BridgeControl>;

export const BRIDGE_CONTROLS: readonly string[] = BridgeControl.options.map(({ shape }) => shape.control.value);
