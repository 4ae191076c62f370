import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { Failure, ImageMediaType, mistakeWords, Prompt, type Attachment } from "../../protocol/index.ts";

const IMAGE_ALONE = "Look at what is attached.";

/** Converts an editor's prompt to ours. Throws a Failure for content that models here do not accept. */
export function promptOf(blocks: readonly ContentBlock[]): Prompt {
  const words: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        words.push(block.text);
        break;
      case "resource_link":
        words.push(`@${placeOf(block.uri)}`);
        break;
      case "image":
        attachments.push({ type: "image", media_type: mediaType(block.mimeType), data: block.data });
        break;
      case "resource":
        if (!("text" in block.resource))
          throw new Failure(
            "invalid_request",
            `${block.resource.uri} is not text; name the file instead of sending it`,
          );
        words.push(`@${placeOf(block.resource.uri)}`);
        attachments.push({ type: "text", text: block.resource.text, name: placeOf(block.resource.uri).slice(-500) });
        break;
      case "audio":
        throw new Failure("invalid_request", "sound cannot be sent here; write it down");
    }
  }
  const text = words.join("\n").trim();
  const parsed = Prompt.safeParse({
    text: text === "" && attachments.length > 0 ? IMAGE_ALONE : text,
    ...(attachments.length === 0 ? {} : { attachments }),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Failure(
    "invalid_request",
    `the prompt: ${issue?.path.join(".") ?? ""} ${issue === undefined ? "is not valid" : mistakeWords(issue)}`,
  );
}

function mediaType(text: string): ImageMediaType {
  const parsed = ImageMediaType.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new Failure("invalid_request", `an image may be ${ImageMediaType.options.join(", ")}, not ${text}`);
}

/** A file by its path; anything else by its address. */
function placeOf(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}
