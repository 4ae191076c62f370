import type { Prompt } from "../../protocol/index.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** A prompt in OpenCode's format. Attachments come first, so that the model reads the person's words last. */
export function promptParts(prompt: Prompt): readonly VendorFields[] {
  const parts = (prompt.attachments ?? []).flatMap((attachment): readonly VendorFields[] => {
    if (attachment.type === "image") return [imagePart(attachment)];
    if (attachment.text.trim() === "") return [];
    const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
    return [{ type: "text", text: `<attachment${name}>\n${attachment.text}\n</attachment>` }];
  });
  return [...parts, { type: "text", text: prompt.text }];
}

/** An image by its data: OpenCode would read the file behind an address. */
export function imagePart(image: { readonly media_type: string; readonly data: string }): VendorFields {
  return { type: "file", mime: image.media_type, url: `data:${image.media_type};base64,${image.data}` };
}
