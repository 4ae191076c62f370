import { createHash } from "node:crypto";

const SIGNATURE_MARK = "sim.";

export function signatureOf(thinking: string): string {
  return SIGNATURE_MARK + createHash("sha256").update(thinking).digest("base64");
}

/** Signatures of other models cannot be checked and are accepted. */
export function isSignature(signature: string, thinking: string): boolean {
  return !signature.startsWith(SIGNATURE_MARK) || signature === signatureOf(thinking);
}
