import { z } from "zod";
import { LIMITS } from "../limits.ts";

/** A provider's key that somebody types in. It is tested, kept by the server, and in no answer ever. */
export const SetProviderKey = z.strictObject({
  key: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.providerKeyChars)
    .regex(/^[\x21-\x7e]+$/, "must be one line of printable characters, without blanks"),
});
export type SetProviderKey = z.infer<typeof SetProviderKey>;
