import type { Attachment, ImageMediaType } from "../../protocol/index.ts";

/** The kinds that models take. */
export const IMAGE_KINDS: ReadonlySet<string> = new Set<ImageMediaType>([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** Why a file cannot be sent. Console and panel have their own words for it. */
export type AttachmentRefusal = "image_too_large" | "image_kind" | "text_too_long" | "not_text";

/** A file as it is sent: images as they are, everything else as UTF-8 text. */
export async function readAttachment(
  file: File,
  name: string,
  limits: { readonly imageBytes: number; readonly textChars: number },
): Promise<Attachment | AttachmentRefusal> {
  if (IMAGE_KINDS.has(file.type)) {
    if (file.size > limits.imageBytes) return "image_too_large";
    const data = base64(new Uint8Array(await file.arrayBuffer()));
    return { type: "image", media_type: file.type as ImageMediaType, data, name };
  }
  if (file.type.startsWith("image/")) return "image_kind";
  // A character has four bytes at most: what is longer need not be read.
  if (file.size > limits.textChars * 4) return "text_too_long";
  const text = textOf(await file.arrayBuffer());
  if (text === undefined) return "not_text";
  return text.length > limits.textChars ? "text_too_long" : { type: "text", text, name };
}

/** How much of a request they need, characters. */
export function attachmentWeight(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, one) => sum + (one.type === "image" ? one.data.length : one.text.length * 2), 0);
}

function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Bytes at a time: an argument each. */
const CHUNK = 8_192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
