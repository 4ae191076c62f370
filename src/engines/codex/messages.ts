import { outputText, type ContentBlock, type ImageBlock, type Prompt, type ToolItem } from "../../protocol/index.ts";
import { aside } from "../claude/messages.ts";
import { text, type VendorFields } from "../vendor/fields.ts";

/** A text in Codex's format of a message. */
function words(said: string): VendorFields {
  return { type: "text", text: said, text_elements: [] };
}

/** Text from Sallyport, not from the person. */
export function asideWords(said: string): VendorFields {
  return words(text(aside(said)["text"]) ?? said);
}

/** A prompt in Codex's format. Attachments come first, so that the model reads the person's words last. */
export function promptInput(prompt: Prompt): readonly VendorFields[] {
  const attached = (prompt.attachments ?? []).flatMap((attachment): readonly VendorFields[] => {
    if (attachment.type === "image") return [imageInput(attachment)];
    if (attachment.text.trim() === "") return [];
    const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
    return [words(`<attachment${name}>\n${attachment.text}\n</attachment>`)];
  });
  return [...attached, words(prompt.text)];
}

export function imageInput(image: Omit<ImageBlock, "type">): VendorFields {
  return { type: "image", url: imageUrl(image) };
}

function imageUrl({ media_type, data }: Omit<ImageBlock, "type">): string {
  return `data:${media_type};base64,${data}`;
}

/** The answer to a call whose id another open call has. */
export const REPEATED: VendorFields = {
  contentItems: [{ type: "inputText", text: "Error: another call with this id is still running." }],
  success: false,
};

const SAYS_SO = /^(?:error|user rejected)\b/i;

/** The result of a call in Codex's format. */
export function callAnswer({ output = [], is_error = false }: ToolItem): VendorFields {
  const contentItems = output.map(contentItem);
  return { contentItems: is_error ? [{ type: "inputText", text: failed(output) }] : contentItems, success: !is_error };
}

/** The wire has no mark for a failed call, so its text says it. */
function failed(output: readonly ContentBlock[]): string {
  const said = outputText(output);
  return SAYS_SO.test(said) ? said : `Error: ${said}`;
}

function contentItem(block: ContentBlock): VendorFields {
  if (block.type === "text") return { type: "inputText", text: block.text };
  return { type: "inputImage", imageUrl: imageUrl(block) };
}

/** Results that Codex did not take, because its turn had ended before. */
export function untoldResults(items: readonly ToolItem[]): string {
  const lines = items.map((item) => `- ${item.tool} ${JSON.stringify(item.input)}\n  ${outputText(item.output ?? [])}`);
  return `These calls of yours ended after your turn was stopped. This is what came of them, whatever stands above:\n${lines.join("\n")}`;
}

/** What a person sent into a turn that ended before the model could read it. */
export function untoldWords({ text: said }: Prompt): string {
  return `During the last turn the person also said:\n${said}`;
}

export const REMINDER = "Give your answer now: call StructuredOutput with it.";
