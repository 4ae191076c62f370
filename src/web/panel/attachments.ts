import type { Attachment, ImageMediaType } from "../../protocol/index.ts";
import { PANEL_LIMITS } from "./limits.ts";

const IMAGES: ReadonlySet<string> = new Set<ImageMediaType>(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** What a file input offers first. */
export const ACCEPTED = [...IMAGES, "text/*", ".csv,.tsv,.json,.jsonl,.md,.sql,.yaml,.yml,.xml,.log"].join(",");

export interface Taken {
  readonly attached: readonly Attachment[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
}

/** Adds files to what is attached already, within the server's limits. Images as they are, everything else as UTF-8 text. */
export async function attach(before: readonly Attachment[], files: readonly File[]): Promise<Taken> {
  const attached = [...before];
  const refused: string[] = [];
  for (const file of files) {
    const name = file.name === "" ? "pasted" : file.name.slice(0, 400);
    if (attached.length >= PANEL_LIMITS.attachments) {
      refused.push(`A message takes ${String(PANEL_LIMITS.attachments)} files; ${name} was left out.`);
      continue;
    }
    const read = await readFile(file, name);
    if (typeof read === "string") refused.push(read);
    else if (weight([...attached, read]) > PANEL_LIMITS.attachedChars)
      refused.push(`${name} was left out: all files together would be too large to send.`);
    else attached.push(read);
  }
  return { attached, refused };
}

async function readFile(file: File, name: string): Promise<Attachment | string> {
  if (IMAGES.has(file.type)) {
    if (file.size > PANEL_LIMITS.imageBytes)
      return `${name} is too large; an image may have ${String(PANEL_LIMITS.imageBytes / 1_000_000)} MB.`;
    const data = base64(new Uint8Array(await file.arrayBuffer()));
    return { type: "image", media_type: file.type as ImageMediaType, data, name };
  }
  if (file.type.startsWith("image/")) return `${name} is no image that models take: PNG, JPEG, GIF or WebP.`;
  // A character has four bytes at most: what is longer need not be read.
  if (file.size > PANEL_LIMITS.promptChars * 4) return tooLong(name);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes("\0")) return notText(name);
    return text.length > PANEL_LIMITS.promptChars ? tooLong(name) : { type: "text", text, name };
  } catch {
    return notText(name);
  }
}

const notText = (name: string): string => `${name} is neither an image nor text.`;
const tooLong = (name: string): string =>
  `${name} is too long; a text may have ${PANEL_LIMITS.promptChars.toLocaleString("en-US")} characters.`;

/** Bytes at a time: an argument each. */
const CHUNK = 8_192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

function weight(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, one) => sum + (one.type === "image" ? one.data.length : one.text.length * 2), 0);
}
