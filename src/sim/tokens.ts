const CHARS_PER_TOKEN = 4;
/** What a picture of usual size costs. */
const IMAGE_TOKENS = 1_600;

/** A deterministic estimate: four characters are a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** The characters that a value of a request stands for; a picture counts by its price, not by its base64. */
export function countChars(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value === "number" || typeof value === "boolean") return CHARS_PER_TOKEN;
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + countChars(part), 0);
  if (typeof value !== "object" || value === null) return 0;
  const fields = value as Readonly<Record<string, unknown>>;
  if (fields["type"] === "image") return IMAGE_TOKENS * CHARS_PER_TOKEN;
  let sum = 0;
  for (const [name, part] of Object.entries(fields)) {
    if (name !== "type" && name !== "cache_control") sum += name.length + countChars(part);
  }
  return sum;
}

export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
