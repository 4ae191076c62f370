import type { Attachment } from "../../protocol/index.ts";
import { PANEL_LIMITS } from "./limits.ts";
import { attachmentWeight, IMAGE_KINDS, readAttachment } from "../ui/read-attachment.ts";

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
      refused.push(`A message takes ${String(PANEL_LIMITS.attachments)} files; ${name} was left out.`);
      continue;
    }
    const read = await readAttachment(file, name, FILE_LIMITS);
    if (typeof read === "string") refused.push(read);
    else if (attachmentWeight([...attached, read]) > PANEL_LIMITS.attachedChars)
      refused.push(`${name} was left out: all files together would be too large to send.`);
    else attached.push(read);
  }
  return { attached, refused };
}
