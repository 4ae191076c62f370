import { createHash } from "node:crypto";
import { estimateTokens } from "../tokens.ts";
import type { Fields } from "../wire.ts";
import { given, notOneOf, readList, readName, readObject, readText, refuse } from "./fields.ts";

const USUAL_DIMENSIONS = 256;
const MOST_DIMENSIONS = 3_072;
const FORMATS = ["float", "base64"];

/** OpenAI's Embeddings: vectors that depend on the words of a text alone, so that similar texts are near each other. */
export function embed(body: unknown): Fields {
  const fields = readObject(body, "body");
  const model = readName(fields["model"], "model");
  const input = fields["input"];
  const texts = typeof input === "string" ? [input] : readList(input, "input").map((text, at) => readAt(text, at));
  if (texts.length === 0) refuse("Invalid 'input': it is empty.", "input", "empty_array");
  const format = fields["encoding_format"];
  if (given(format) && (typeof format !== "string" || !FORMATS.includes(format)))
    notOneOf("encoding_format", format, FORMATS);
  const size = readDimensions(fields["dimensions"]);
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return {
    object: "list",
    model,
    data: texts.map((text, index) => {
      const vector = vectorOf(text, size);
      const bytes = Buffer.from(vector.buffer);
      return { object: "embedding", index, embedding: format === "base64" ? bytes.toString("base64") : [...vector] };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function readAt(value: unknown, at: number): string {
  return readText(value, `input[${at}]`);
}

function readDimensions(value: unknown): number {
  if (!given(value)) return USUAL_DIMENSIONS;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_DIMENSIONS) return value;
  return refuse(`Invalid 'dimensions': it must be from 1 to ${MOST_DIMENSIONS}.`, "dimensions", "invalid_value");
}

function vectorOf(text: string, size: number): Float32Array {
  const vector = new Float32Array(size);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [""]) {
    const hash = createHash("sha256").update(word).digest();
    const at = hash.readUInt32BE(0) % size;
    vector[at] = (vector[at] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((part) => part / length);
}
