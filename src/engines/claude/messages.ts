import { headOf, LIMITS, type ImageBlock, type Prompt, type ToolItem } from "../../protocol/index.ts";
import type { UserMessage } from "./transport.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** A prompt in the vendor program's format. Attachments come first, so that the model reads the person's words last. */
export function promptContent(prompt: Prompt): readonly VendorFields[] {
  const blocks = (prompt.attachments ?? []).flatMap((attachment): readonly VendorFields[] => {
    if (attachment.type === "image") return [imageContent(attachment)];
    if (attachment.text.trim() === "") return [];
    const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
    return [{ type: "text", text: `<attachment${name}>\n${attachment.text}\n</attachment>` }];
  });
  return [...blocks, { type: "text", text: prompt.text }];
}

export function imageContent({ media_type, data }: Omit<ImageBlock, "type">): VendorFields {
  return { type: "image", source: { type: "base64", media_type, data } };
}

/**
 * A message as sent. `client_composed`: the text is taken literally. Without it the program would read the file behind an
 * `@name` without a question, and take a slash for its own command.
 */
export function wireMessage({ uuid, content }: UserMessage): VendorFields {
  return {
    type: "user",
    uuid,
    client_composed: true,
    session_id: "",
    parent_tool_use_id: null,
    message: { role: "user", content },
  };
}

/** Text from Sallyport, not from the person: the model knows this frame. */
export function aside(text: string): VendorFields {
  const inner = text.replaceAll(/<(\/?)system-reminder>/g, "<$1system_reminder>");
  return { type: "text", text: `<system-reminder>\n${inner}\n</system-reminder>` };
}

export const GO_ON =
  "The last request to the model was refused because the budget was used up. There is money again. Go on exactly where you stopped, without a word about this.";

/** For the turn after one that a person stopped. */
export function stoppedBy({ tool, input }: ToolItem, message: string): string {
  return `Your call ${tool} ${shortened(input)} was not run and your turn was stopped. The reason: ${message}`;
}

/** For a conversation whose system prompt changed after it began. */
export function newPrompt(system_prompt: string): string {
  const words = system_prompt === "" ? "There are none any more." : `From now on they are:\n\n${system_prompt}`;
  return `The additional instructions at the end of your system prompt have changed. ${words}`;
}

export function retold(text: string): string {
  return `This conversation began earlier, and only this record of it is left:\n\n${text}\n\nGo on from there.`;
}

/** For when only the end of the vendor's record is missing. */
export function completed(text: string): string {
  return `The end of this conversation is missing above. This is what was said and done there:\n\n${text}\n\nGo on from there.`;
}

/** For when the end of the vendor's record may be missing. */
export function perhapsMissing(text: string): string {
  return `The end of this conversation may be missing above. This is what was said and done there, as far as it is not above:\n\n${text}\n\nGo on from there.`;
}

/** What became of a call that a dead server left open. */
export interface CallFate {
  readonly item: ToolItem;
  /** For the model. */
  readonly message: string;
  /** Images in the call's result; absent: none. */
  readonly images?: readonly ImageBlock[] | undefined;
}

export function restarted(fates: readonly CallFate[], sofar: string): string {
  const lines = fates.map(({ item, message }) => `- ${item.tool} ${shortened(item.input)}\n  ${message}`);
  return [
    "The server was restarted in the middle of your work.",
    ...(sofar === "" ? [] : [`What you had done for the last prompt, as far as it is not above:\n${sofar}`]),
    ...(lines.length === 0 ? [] : [`Your tool calls that had no result yet:\n${lines.join("\n")}`]),
    "A call that has no result and is not named here was not run. Go on with the task from here.",
  ].join("\n\n");
}

function shortened(input: VendorFields): string {
  const text = JSON.stringify(input);
  return text.length <= LIMITS.engineHistoryPartChars ? text : `${headOf(text, LIMITS.engineHistoryPartChars)} …`;
}
