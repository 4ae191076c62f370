import { LIMITS, type Attachment } from "../../protocol/index.ts";
import { addFiles } from "./attach-files.ts";
import { locale, t } from "./language/t.ts";

/** Bytes that the rest of a request may need besides its attachments. */
const REQUEST_MARGIN = 2_000_000;
const ATTACHMENT_LIMITS = {
  attachments: LIMITS.attachmentsPerPrompt,
  imageBytes: LIMITS.attachmentBytes,
  textChars: LIMITS.promptChars,
  totalChars: LIMITS.bodyBytes - REQUEST_MARGIN,
};

/** An attachment with a name for the list. */
export interface Attached {
  readonly id: number;
  readonly name: string;
  /** Of the file. */
  readonly bytes: number;
  readonly attachment: Attachment;
}

export interface TakenFiles {
  readonly attached: readonly Attached[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
}

/** Adds files to the attached ones, within the server's limits. */
export async function attach(before: readonly Attached[], files: readonly File[]): Promise<TakenFiles> {
  const known = before.map(({ attachment }) => attachment);
  const { added, refused } = await addFiles(known, files, { limits: ATTACHMENT_LIMITS, t });
  const next = before.reduce((most, { id }) => Math.max(most, id), 0) + 1;
  const attached = added.map(({ file, name, attachment }, index) => ({
    id: next + index,
    name,
    bytes: file.size,
    attachment,
  }));
  return { attached: [...before, ...attached], refused };
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
