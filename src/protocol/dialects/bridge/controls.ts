import { z } from "zod";
import { Prompt } from "../../content.ts";
import { LIMITS } from "../../limits.ts";
import { ThreadMapping } from "./rows.ts";

/** The agents that document 002's settings offer. */
export const BridgeProvider = z.enum(["codex", "opencode", "claude"]);
export type BridgeProvider = z.infer<typeof BridgeProvider>;

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
    model: z.string().min(1).max(200).optional(),
    /** A repeated key returns the run that the first one started. */
    idempotencyKey: z.string().min(1).max(200).optional(),
  }),
  /** Without `threadId`: the newest run of this socket, or the only one that is open. */
  z.object({ control: z.literal("run.abort"), threadId: threadId.optional() }),
  z.object({ control: z.literal("provider.select"), provider: BridgeProvider }),
  /** Without `sessionId`: the caller's newest. `null`, `new` and `none` switch it off. */
  z.object({ control: z.literal("claude.session.resume"), sessionId: resumeId.nullish() }),
  z.object({ control: z.literal("mapping.select"), mapping: ThreadMapping }),
  z.object({ control: z.literal("bridge.status") }),
]);
export type BridgeControl = z.infer<typeof BridgeControl>;

export const BRIDGE_CONTROLS: readonly string[] = BridgeControl.options.map(({ shape }) => shape.control.value);
