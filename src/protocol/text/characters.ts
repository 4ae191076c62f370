import type { Attachment, Prompt } from "../journal/content.ts";

/** The first so many UTF-16 units, without half a character at the end: models and services refuse a text with one. */
export function headOf(text: string, units: number): string {
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

export function tailOf(text: string, units: number): string {
  const start = Math.max(0, text.length - units);
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

/** With U+FFFD in the place of each half character. As `toWellFormed`, which not every browser has. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

/** The prompt with a sign in the place of each half character. Else no model would take the conversation again. */
export function wellFormedPrompt(prompt: Prompt): Prompt {
  const { attachments } = prompt;
  const text = wellFormed(prompt.text);
  return attachments === undefined
    ? { ...prompt, text }
    : { ...prompt, text, attachments: attachments.map(wellFormedAttachment) };
}

function wellFormedAttachment(attachment: Attachment): Attachment {
  const { name } = attachment;
  const named = name === undefined ? {} : { name: wellFormed(name) };
  return attachment.type === "text"
    ? { ...attachment, ...named, text: wellFormed(attachment.text) }
    : { ...attachment, ...named };
}
