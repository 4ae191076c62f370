import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that does not depend on where they differ: what is compared are two SHA-256 digests. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
