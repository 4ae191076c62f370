import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { ImageMediaType, LIMITS, type ContentBlock } from "../protocol/index.ts";
import type { ToolResult } from "../tools/index.ts";

type McpContent = CallToolResult["content"][number];

/** What a call of a foreign tool returns to the model. */
export function callResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const blocks = shown(content);
  const structured = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  return {
    content: blocks.length > 0 || structured === "" ? blocks : [{ type: "text", text: structured }],
    is_error: isError === true,
  };
}

export function resourceResult({ contents }: ReadResourceResult): ToolResult {
  return { content: shown(contents.map((resource) => ({ type: "resource" as const, resource }))), is_error: false };
}

export function promptResult({ messages }: GetPromptResult): ToolResult {
  const content = messages
    .slice(0, LIMITS.clientToolResultBlocks)
    .flatMap(({ role, content: part }): readonly ContentBlock[] => [{ type: "text", text: `${role}:` }, block(part)]);
  return { content, is_error: false };
}

/** One more than the toolbox shows, so that it says that parts were left out. */
function shown(content: readonly McpContent[]): readonly ContentBlock[] {
  return content.slice(0, LIMITS.clientToolResultBlocks + 1).map(block);
}

function block(part: McpContent): ContentBlock {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image": {
      const media = ImageMediaType.safeParse(part.mimeType);
      return media.success
        ? { type: "image", media_type: media.data, data: part.data }
        : text(`(An image of the type ${short(part.mimeType)} was left out.)`);
    }
    case "audio":
      return text(`(A recording of the type ${short(part.mimeType)} was left out.)`);
    case "resource_link":
      return text(`${part.name}: ${part.uri}`);
    case "resource":
      return "text" in part.resource
        ? text(`${part.resource.uri}\n${part.resource.text}`)
        : text(`${part.resource.uri}\n(${part.resource.blob.length} characters of base64 were left out.)`);
  }
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

function short(value: string): string {
  return value.slice(0, LIMITS.previewSummaryChars);
}
