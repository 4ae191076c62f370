import type { SessionContext } from "./instructions.ts";

/** Commands of the surfaces themselves: a file of the workspace cannot take their names. */
export const BUILT_IN_COMMANDS = [
  "plan",
  "mode",
  "model",
  "usage",
  "context",
  "help",
  "clear",
  "new",
  "stop",
  "resume",
  "pause",
  "fork",
  "close",
  "budget",
  "changes",
] as const;

const CHARS_PER_TOKEN = 4;

/** Roughly: four characters are a token. */
export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** What was loaded, for people: one line, and one more if something was left out. */
export function instructionWords({ files, left_out }: Pick<SessionContext, "files" | "left_out">): readonly string[] {
  const plain = files.filter(({ name }) => name === undefined).map(({ path }) => path);
  const counted = (["skill", "command", "agent"] as const).flatMap((kind) => {
    const number = files.filter((file) => file.kind === kind).length;
    return number === 0 ? [] : [`${number} ${kind}${number === 1 ? "" : "s"}`];
  });
  const tokens = files.reduce((sum, file) => sum + file.tokens, 0);
  const loaded = [...plain, ...counted].join(", ");
  const skipped = left_out.map(({ path, why }) => (path === "" ? why : `${path} (${why})`)).join(", ");
  return [
    files.length === 0
      ? "No instructions of the workspace are loaded."
      : `Loaded from the workspace: ${loaded}; about ${tokens} tokens of each request.`,
    ...(skipped === "" ? [] : [`Not loaded: ${skipped}.`]),
  ];
}
