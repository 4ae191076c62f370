/** Characters per token. */
export const TOKEN_CHARS = 4;
/** The cost of an image of usual size. */
const IMAGE_TOKENS = 1_600;
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);

/** A deterministic estimate: four characters are a token. */
export function estimateTokens(text: string): number {
  return tokensOf(text.length);
}

/** The characters of a request's value; an image counts by its price, not by its base64. */
export function countChars(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value === "number" || typeof value === "boolean") return TOKEN_CHARS;
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + countChars(part), 0);
  if (typeof value !== "object" || value === null) return 0;
  const fields = value as Readonly<Record<string, unknown>>;
  if (IMAGE_TYPES.has(fields["type"])) return IMAGE_TOKENS * TOKEN_CHARS;
  let sum = 0;
  for (const [name, part] of Object.entries(fields)) {
    if (name !== "type" && name !== "cache_control") sum += name.length + countChars(part);
  }
  return sum;
}

export function tokensOf(chars: number): number {
  return Math.ceil(chars / TOKEN_CHARS);
}
