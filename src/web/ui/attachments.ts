import { LIMITS, type Attachment } from "../../protocol/index.ts";
import { attachmentWeight, readAttachment, type AttachmentRefusal } from "./read-attachment.ts";
import { locale, t } from "./language/t.ts";

const FILE_LIMITS = { imageBytes: LIMITS.attachmentBytes, textChars: LIMITS.promptChars };

/** An attachment with a name for the list. */
export interface Attached {
  readonly id: number;
  readonly name: string;
  /** Of the file. */
  readonly bytes: number;
  readonly attachment: Attachment;
}

/** Bytes that the rest of a request may need besides its attachments. */
const REQUEST_MARGIN = 2_000_000;

export interface TakenFiles {
  readonly attached: readonly Attached[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
}

/** Adds files to the attached ones, within the server's limits. Images unchanged, everything else as UTF-8 text. */
export async function attach(before: readonly Attached[], files: readonly File[]): Promise<TakenFiles> {
  const attached = [...before];
  const refused: string[] = [];
  for (const file of files) {
    const name = nameOf(file, attached);
    if (attached.length >= LIMITS.attachmentsPerPrompt) {
      refused.push(
        t("A prompt takes {most} attachments; {name} was left out.", {
          most: LIMITS.attachmentsPerPrompt,
          name,
        }),
      );
      continue;
    }
    const read = await readAttachment(file, name, FILE_LIMITS);
    if (typeof read === "string") refused.push(refusalOf(read, name));
    else if (
      attachmentWeight([...attached.map(({ attachment }) => attachment), read]) >
      LIMITS.bodyBytes - REQUEST_MARGIN
    )
      refused.push(t("{name} was left out: all attachments together would be too large to send.", { name }));
    else attached.push({ id: nextId(attached), name, bytes: file.size, attachment: read });
  }
  return { attached, refused };
}

function refusalOf(refusal: AttachmentRefusal, name: string): string {
  switch (refusal) {
    case "image_too_large":
      return t("{name} is too large; an image may have {most} MB.", { name, most: FILE_LIMITS.imageBytes / 1_000_000 });
    case "image_kind":
      return t("{name} is not an image that models accept: PNG, JPEG, GIF or WebP.", { name });
    case "text_too_long":
      return t("{name} is too long; a text may have {most} characters.", { name, most: FILE_LIMITS.textChars });
    case "not_text":
      return t("{name} is neither an image nor text.", { name });
  }
}

/** The files of a drop or a paste; empty when it is only text. */
export function filesOf(data: DataTransfer | null): readonly File[] {
  return data === null ? [] : [...data.files];
}

export function bytesWords(bytes: number): string {
  if (bytes < 1_000) return t("{bytes} B", { bytes });
  return bytes < 1_000_000
    ? t("{bytes} kB", { bytes: Math.round(bytes / 1_000) })
    : t("{bytes} MB", {
        bytes: (bytes / 1_000_000).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
      });
}

/** Pasted images are all called image.png: the second one gets a number. */
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
