import type { Attachment } from "../../protocol/index.ts";
import { PANEL_LIMITS } from "./limits.ts";
import { attachmentWeight, IMAGE_KINDS, readAttachment, type AttachmentRefusal } from "../ui/read-attachment.ts";
import { t } from "./language.ts";

const FILE_LIMITS = { imageBytes: PANEL_LIMITS.imageBytes, textChars: PANEL_LIMITS.promptChars };

/** What a file input offers first. */
export const ACCEPTED = [...IMAGE_KINDS, "text/*", ".csv,.tsv,.json,.jsonl,.md,.sql,.yaml,.yml,.xml,.log"].join(",");

export interface TakenAttachments {
  readonly attached: readonly Attachment[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
}

/** Adds files to what is attached already, within the server's limits. Images as they are, everything else as UTF-8 text. */
export async function attach(before: readonly Attachment[], files: readonly File[]): Promise<TakenAttachments> {
  const attached = [...before];
  const refused: string[] = [];
  for (const file of files) {
    const name = file.name === "" ? "pasted" : file.name.slice(0, 400);
    if (attached.length >= PANEL_LIMITS.attachments) {
      refused.push(t("A message takes {most} files; {name} was left out.", { most: PANEL_LIMITS.attachments, name }));
      continue;
    }
    const read = await readAttachment(file, name, FILE_LIMITS);
    if (typeof read === "string") refused.push(refusalOf(read, name));
    else if (attachmentWeight([...attached, read]) > PANEL_LIMITS.attachedChars)
      refused.push(t("{name} was left out: all files together would be too large to send.", { name }));
    else attached.push(read);
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
