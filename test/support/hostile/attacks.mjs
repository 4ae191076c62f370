// What a program may say instead of its protocol, to end the server or to fill its memory. Each attack is a generator of texts that are
// written as they are. A voice is what the attacks that are for every protocol need of one.
import { ACP, voice as acp } from "./acp.mjs";
import { CODEX, voice as codex } from "./codex.mjs";
import { COMMON } from "./common.mjs";
import { OPENCODE, voice as opencode } from "./opencode.mjs";

/** By the program that plays them. */
export const ATTACKS = {
  codex: { ...COMMON, ...CODEX },
  acp: { ...COMMON, ...ACP },
  opencode: { ...COMMON, ...OPENCODE },
};

export const VOICES = { codex, acp, opencode };
