import { showHidden } from "../../protocol/index.ts";

/** All text that a person reads, with hidden characters spelled out. A path is read as strictly as a command. */
export function withHiddenNamed<Message>(message: Message): Message {
  return named(message, "") as Message;
}

function named(value: unknown, key: string): unknown {
  if (typeof value === "string") return key === "path" ? showHidden(value, "command") : visibleContent(value);
  if (Array.isArray(value)) return value.map((one) => named(one, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visibleContent(name), named(one, name)]));
}

/** Part of a file with Windows line ends may end in the middle of one. */
function visibleContent(text: string): string {
  if (!text.endsWith("\r")) return showHidden(text, "content");
  return `${showHidden(text.slice(0, -1), "content")}\r`;
}
