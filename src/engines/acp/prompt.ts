import type { ImageBlock, Prompt, SessionSettings } from "../../protocol/index.ts";
import { aside } from "../claude/messages.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { AgentProgram } from "./agents.ts";

/** What the model of a new conversation is told before its first prompt: the protocol has no room for a system prompt. */
export function openingBlocks(
  { workFolder }: AgentProgram,
  { workspace, system_prompt = "" }: SessionSettings,
): readonly VendorFields[] {
  const place = `The working directory of all your tools is ${workspace}, not the one that is named elsewhere. Name files by absolute paths, or relative to it, and stay inside it.`;
  const words = [...(workFolder === undefined ? [] : [place]), system_prompt.trim()].filter((text) => text !== "");
  return words.length === 0 ? [] : [aside(words.join("\n\n"))];
}

/** A prompt in the protocol's form. Attachments come first, so that the model reads the person's words last. */
export function promptBlocks(prompt: Prompt): readonly VendorFields[] {
  return [...attachedBlocks(prompt), { type: "text", text: prompt.text }];
}

export function attachedBlocks({ attachments = [] }: Prompt): readonly VendorFields[] {
  return attachments.flatMap((attachment): readonly VendorFields[] => {
    if (attachment.type === "image") return [imageBlock(attachment)];
    if (attachment.text.trim() === "") return [];
    const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
    return [{ type: "text", text: `<attachment${name}>\n${attachment.text}\n</attachment>` }];
  });
}

export function imageBlock({ media_type, data }: Omit<ImageBlock, "type">): VendorFields {
  return { type: "image", mimeType: media_type, data };
}
