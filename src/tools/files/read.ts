import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { LIMITS, TOOL_FACTS, type ImageMediaType } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import { isRefusal, reasonOf } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolContext, type ToolResult } from "../tool.ts";
import { decodeText, isBinary, openFile, readStart, readWhole } from "./content.ts";
import { linesOfFile, linesOfText, type Lines } from "./lines.ts";
import { parseNotebook, renderNotebook } from "./notebook.ts";
import { resolveInside, type UsablePath } from "./paths.ts";

const ReadInput = z.strictObject({
  file_path: z.string().describe("The file to read: absolute, or relative to the workspace"),
  offset: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("The first line to show, counted from 1; of a notebook, the first cell"),
  limit: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(`How many lines to show, ${LIMITS.readLines} if left out; of a notebook, cells`),
});
type ReadInput = z.infer<typeof ReadInput>;

export const read: Tool<ReadInput> = {
  name: "Read",
  description:
    `Reads a file. Text comes with line numbers, up to ${LIMITS.readLines} lines, each cut at ${LIMITS.readLineChars} characters; ` +
    "use offset and limit for more. Images (PNG, JPEG, GIF, WebP) are shown, notebooks (.ipynb) come cell by cell with their " +
    "outputs. PDF and other binary files cannot be read.",
  tier: TOOL_FACTS.Read.tier,
  concurrent: true,
  ignored: { pages: z.string().max(100), allow_large: z.boolean() },
  input: ReadInput,
  paths: (input) => [{ path: input.file_path, access: "read" }],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const place = await resolveInside(context, { path: input.file_path, access: "read" });
    if (isRefusal(place)) return errorResult(place.refused);
    const file = await openFile(place);
    if (isRefusal(file)) return errorResult(file.refused);
    try {
      return await readOpen({ handle: file.handle, size: file.size, place, input, context });
    } catch (error) {
      return errorResult(`Error reading ${place.shown}: ${reasonOf(error)}`);
    } finally {
      // Nobody waits for it: the bytes are here, and closing what was only read loses nothing.
      file.handle.close().catch(() => undefined);
    }
  },
};

interface FileToRead {
  readonly handle: FileHandle;
  readonly size: number;
  readonly place: UsablePath;
  readonly input: ReadInput;
  readonly context: ToolContext;
}

async function readOpen(reading: FileToRead): Promise<ToolResult> {
  const { handle, place, context, size } = reading;
  // Small files are read at once: each further read costs more than the bytes.
  const small = size <= LIMITS.readBytes ? await readWhole(handle, size) : undefined;
  const start = small ?? (await readStart(handle));
  const media = imageType(start);
  if (media !== undefined) return readImage(reading, media);
  if (start.subarray(0, 5).toString("latin1") === "%PDF-")
    return errorResult(
      `Cannot read PDF file: ${place.shown}. Turn it into text first, for example with \`pdftotext\` in Bash.`,
    );
  if (isBinary(start)) return errorResult(`Cannot read binary file: ${place.shown}`);
  if (size > LIMITS.fileBytes) {
    const window = windowOf(reading.input);
    return showLines(reading, await linesOfFile(handle, window, context.signal));
  }
  const bytes = small ?? (await handle.readFile());
  context.files.saw(place.real, bytes);
  if (bytes.length === 0) return textResult(`The file exists but is empty: ${place.shown}`);
  const { text } = decodeText(bytes);
  if (place.real.endsWith(".ipynb")) {
    const notebook = parseNotebook(text);
    if (!isRefusal(notebook)) return renderNotebook(notebook, reading.input);
  }
  return showLines(reading, linesOfText(text, windowOf(reading.input)));
}

function windowOf(input: ReadInput): { readonly offset: number; readonly limit: number } {
  return { offset: Math.max(1, input.offset ?? 1), limit: input.limit ?? LIMITS.readLines };
}

function showLines({ input, place }: FileToRead, { lines, more, total }: Lines): ToolResult {
  const { offset, limit } = windowOf(input);
  if (lines.length === 0 && total !== undefined)
    return errorResult(`Offset ${offset} is beyond the end of ${place.shown}, which has ${total} line(s).`);
  const numbered = lines.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`).join("\n");
  // A caller that set a limit knows that there may be more.
  if (!more || (input.limit !== undefined && lines.length === limit)) return textResult(numbered);
  const last = offset + lines.length - 1;
  return textResult(
    `${numbered}\n\n(Lines ${offset} to ${last} are shown. The file goes on: read with offset ${last + 1}.)`,
  );
}

async function readImage({ handle, place, size }: FileToRead, media_type: ImageMediaType): Promise<ToolResult> {
  if (size > LIMITS.imageBytes)
    return errorResult(
      `The image ${place.shown} has ${size} bytes; at most ${LIMITS.imageBytes} can be shown. Make it smaller first.`,
    );
  const bytes = await handle.readFile();
  return { content: [{ type: "image", media_type, data: bytes.toString("base64") }], is_error: false };
}

/** By the first bytes: an extension may be wrong. */
function imageType(start: Buffer): ImageMediaType | undefined {
  const head = start.subarray(0, 12).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}
