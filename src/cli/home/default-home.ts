import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { Environment } from "../settings/settings.ts";

/** In the folder itself: where older servers kept it. */
const IN_FOLDER = ".sallyport";
/** Two folders of one name have different homes. */
const HASH_CHARS = 10;

/**
 * A folder of the user's own for the folder that a command runs in: never inside it, since agents work there. A home that is
 * there already is kept.
 */
export function defaultHome(environment: Environment, cwd: string): string {
  const inFolder = join(cwd, IN_FOLDER);
  const { XDG_STATE_HOME: state = "", HOME: own = "" } = environment;
  const ofUser = isAbsolute(own) ? join(own, ".local", "state") : undefined;
  const below = isAbsolute(state) ? state : ofUser;
  if (below === undefined || existsSync(inFolder)) return inFolder;
  const hash = createHash("sha256").update(cwd).digest("hex").slice(0, HASH_CHARS);
  return join(below, "sallyport", `${basename(cwd) || "root"}-${hash}`);
}
