import { ImageMediaType, LIMITS, type Attachment } from "../../../protocol/index.ts";

/** An attachment with a name for the list. */
export interface Attached {
  readonly id: number;
  readonly name: string;
  /** Of the file. */
  readonly bytes: number;
  readonly attachment: Attachment;
}

/** What the rest of a request may need beside its attachments, bytes. */
const REQUEST_MARGIN = 2_000_000;

export interface Taken {
  readonly attached: readonly Attached[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
}

/** Adds files to what is attached already, within the server's limits. Images as they are, everything else as UTF-8 text. */
export async function attach(before: readonly Attached[], files: readonly File[]): Promise<Taken> {
  const attached = [...before];
  const refused: string[] = [];
  for (const file of files) {
    const name = nameOf(file, attached);
    if (attached.length >= LIMITS.attachmentsPerPrompt) {
      refused.push(`A prompt takes ${String(LIMITS.attachmentsPerPrompt)} attachments; ${name} was left out.`);
      continue;
    }
    const read = await readFile(file, name);
    if (typeof read === "string") refused.push(read);
    else if (weight([...attached.map(({ attachment }) => attachment), read]) > LIMITS.bodyBytes - REQUEST_MARGIN)
      refused.push(`${name} was left out: all attachments together would be too large to send.`);
    else attached.push({ id: nextId(attached), name, bytes: file.size, attachment: read });
  }
  return { attached, refused };
}

/** The files of a drop or a paste; nothing when it is only text. */
export function filesOf(data: DataTransfer | null): readonly File[] {
  return data === null ? [] : [...data.files];
}

export function bytesWords(bytes: number): string {
  if (bytes < 1_000) return `${String(bytes)} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function readFile(file: File, name: string): Promise<Attachment | string> {
  const image = ImageMediaType.safeParse(file.type);
  if (image.success) {
    if (file.size > LIMITS.attachmentBytes)
      return `${name} has ${bytesWords(file.size)}; an image may have ${bytesWords(LIMITS.attachmentBytes)}.`;
    return { type: "image", media_type: image.data, data: base64(new Uint8Array(await file.arrayBuffer())), name };
  }
  if (file.type.startsWith("image/")) return `${name} is no image that models take: PNG, JPEG, GIF or WebP.`;
  // A character has four bytes at most: what is longer need not be read.
  if (file.size > LIMITS.promptChars * 4) return tooLong(name);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes("\0")) return notText(name);
    return text.length > LIMITS.promptChars ? tooLong(name) : { type: "text", text, name };
  } catch {
    return notText(name);
  }
}

const notText = (name: string): string => `${name} is neither an image nor text.`;
const tooLong = (name: string): string =>
  `${name} is too long; a text may have ${LIMITS.promptChars.toLocaleString("en-US")} characters.`;

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

/** Pasted pictures are all called image.png: the second one gets a number. */
function nameOf(file: File, attached: readonly Attached[]): string {
  const plain = file.name === "" ? "pasted" : file.name.slice(0, 400);
  const taken = new Set(attached.map(({ name }) => name));
  if (!taken.has(plain)) return plain;
  const dot = plain.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ""];
  let number = 2;
  while (taken.has(`${stem}-${String(number)}${ending}`)) number += 1;
  return `${stem}-${String(number)}${ending}`;
}

function nextId(attached: readonly Attached[]): number {
  return attached.reduce((most, { id }) => Math.max(most, id), 0) + 1;
}
