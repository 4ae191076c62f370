import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "../models/money.ts";

export const ImageMediaType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export type ImageMediaType = z.infer<typeof ImageMediaType>;

export const TextBlock = z.object({ type: z.literal("text"), text: z.string() });
/** `data` is base64. */
export const ImageBlock = z.object({ type: z.literal("image"), media_type: ImageMediaType, data: z.string() });
export type ImageBlock = z.infer<typeof ImageBlock>;

/** What a tool returns to the model. */
export const ContentBlock = z.discriminatedUnion("type", [TextBlock, ImageBlock]);
export type ContentBlock = z.infer<typeof ContentBlock>;

export const Attachment = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("image"),
      media_type: ImageMediaType,
      data: z
        .string()
        .max(Math.ceil((LIMITS.attachmentBytes * 4) / 3) + 4)
        .regex(/^[A-Za-z0-9+/]*={0,2}$/, "must be base64"),
      name: z.string().max(500).optional(),
    })
    .strict(),
  z
    .object({ type: z.literal("text"), text: z.string().max(LIMITS.promptChars), name: z.string().max(500).optional() })
    .strict(),
]);
export type Attachment = z.infer<typeof Attachment>;

export const Prompt = z
  .object({
    text: z
      .string()
      .max(LIMITS.promptChars)
      .refine((text) => text.trim() !== "", "Empty prompt"),
    attachments: z.array(Attachment).max(LIMITS.attachmentsPerPrompt).optional(),
    /** The most that this turn may cost, micro-USD; absent: the policy's limit. */
    max_cost_microusd: MicroUsd.optional(),
  })
  .strict();
export type Prompt = z.infer<typeof Prompt>;

/** Tokens of one model call or the sum of many. `input_tokens` excludes cache reads and writes. */
export const Usage = z.object({
  input_tokens: z.number().int().nonnegative(),
  output_tokens: z.number().int().nonnegative(),
  cache_read_tokens: z.number().int().nonnegative(),
  cache_write_tokens: z.number().int().nonnegative(),
  reasoning_tokens: z.number().int().nonnegative(),
  model_calls: z.number().int().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;
