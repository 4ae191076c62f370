export interface Said {
  readonly by: "user" | "assistant";
  readonly text: string;
}

const SEPARATOR = "-".repeat(50);

/** A conversation as plain text, to be copied. What one side says in several messages stands under one name. */
export function conversationText(said: readonly Said[]): string {
  const parts: string[] = [];
  let last: Said["by"] | undefined;
  for (const { by, text } of said) {
    if (by === last) parts.push(text);
    else parts.push(`${last === undefined ? "" : `${SEPARATOR}\n`}${by === "user" ? "USER" : "Datagrok AI"}:\n${text}`);
    last = by;
  }
  return parts.join("\n");
}
