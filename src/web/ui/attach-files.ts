import type { Attachment, ImageMediaType } from "../../protocol/index.ts";
import type { Translator } from "./language/translate.ts";

/** The kinds that models take. */
export const IMAGE_KINDS: ReadonlySet<string> = new Set<ImageMediaType>([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

interface AttachmentLimits {
  readonly attachments: number;
  readonly imageBytes: number;
  readonly textChars: number;
  /** All attachments of one prompt together, as they are sent. */
  readonly totalChars: number;
}

interface AddedFiles {
  readonly added: readonly { readonly file: File; readonly name: string; readonly attachment: Attachment }[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
}

/** Files that join the attached ones, within the limits. `t`: console and panel have a catalogue each. */
export async function addFiles(
  before: readonly Attachment[],
  files: readonly File[],
  { limits, t }: { readonly limits: AttachmentLimits; readonly t: Translator["t"] },
): Promise<AddedFiles> {
  const attached = [...before];
  const added: AddedFiles["added"][number][] = [];
  const refused: string[] = [];
  for (const file of files) {
    const name = nameOf(file, attached);
    if (attached.length >= limits.attachments) {
      refused.push(t("A prompt takes {most} attachments; {name} was left out.", { most: limits.attachments, name }));
      continue;
    }
    const read = await readAttachment(file, name, limits);
    if (typeof read === "string") refused.push(refusalWords(read, { name, limits, t }));
    else if (weightOf([...attached, read]) > limits.totalChars)
      refused.push(t("{name} was left out: all attachments together would be too large to send.", { name }));
    else {
      attached.push(read);
      added.push({ file, name, attachment: read });
    }
  }
  return { added, refused };
}

function refusalWords(
  refusal: AttachmentRefusal,
  { name, limits, t }: { readonly name: string; readonly limits: AttachmentLimits; readonly t: Translator["t"] },
): string {
  switch (refusal) {
    case "image_too_large":
      return t("{name} is too large; an image may have {most} MB.", { name, most: limits.imageBytes / 1_000_000 });
    case "image_kind":
      return t("{name} is not an image that models accept: PNG, JPEG, GIF or WebP.", { name });
    case "text_too_long":
      return t("{name} is too long; a text may have {most} characters.", { name, most: limits.textChars });
    case "not_text":
      return t("{name} is neither an image nor text.", { name });
  }
}

type AttachmentRefusal = "image_too_large" | "image_kind" | "text_too_long" | "not_text";

/** Images unchanged, everything else as UTF-8 text. */
async function readAttachment(
  file: File,
  name: string,
  limits: AttachmentLimits,
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
function weightOf(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, one) => sum + (one.type === "image" ? one.data.length : one.text.length * 2), 0);
}

/** Pasted images are all called image.png: the second one gets a number. */
function nameOf(file: File, attached: readonly Attachment[]): string {
  const plain = file.name === "" ? "pasted" : file.name.slice(0, 400);
  const taken = new Set(attached.map(({ name }) => name));
  if (!taken.has(plain)) return plain;
  const dot = plain.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ""];
  let number = 2;
  while (taken.has(`${stem}-${String(number)}${ending}`)) number += 1;
  return `${stem}-${String(number)}${ending}`;
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
