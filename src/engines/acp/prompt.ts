import type { Prompt } from "../../protocol/index.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** A prompt in the protocol's form. Attachments come first, so that the model reads the person's words last. */
export function promptBlocks({ text, attachments = [] }: Prompt): readonly VendorFields[] {
  const blocks = attachments.flatMap((attachment): readonly VendorFields[] => {
    if (attachment.type === "image") return [{ type: "image", mimeType: attachment.media_type, data: attachment.data }];
    if (attachment.text.trim() === "") return [];
    const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
    return [{ type: "text", text: `<attachment${name}>\n${attachment.text}\n</attachment>` }];
  });
  return [...blocks, { type: "text", text }];
}
