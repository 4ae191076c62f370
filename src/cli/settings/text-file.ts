import { Failure, LIMITS } from "../../protocol/index.ts";
// Not through the folder's index: it would load an HTTP client for every command.
import { readBounded } from "../../proxy/providers/watched-file.ts";

/** The text of a settings or policy file; undefined: there is none. A pipe is refused: reading it might never end. */
export function readTextFile(path: string): string | undefined {
  try {
    const { text } = readBounded(path, LIMITS.settingsBytes);
    return text;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new Failure("invalid_request", `${path} is there but cannot be read (${code ?? "?"})`);
  }
}
