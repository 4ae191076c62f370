import { t } from "../../ui/language/t.ts";

/** Of sessions that name none. */
export const DEFAULT_ENGINE = "loop";
/** What people read of each engine. */
export const ENGINES: Readonly<Record<string, string>> = {
  loop: t("Sallyport’s own agent loop, for every provider and model"),
  "claude-sdk": t("Claude Code, through its SDK"),
  "claude-cli": t("Claude Code, command line"),
  command: t("No agent: each prompt is a command for the shell"),
  compute: t("No agent: each prompt is one call of the model, without tools"),
  tunnel: t("Another machine runs it, at the other end of its provider’s tunnel"),
  codex: "OpenAI’s Codex",
  opencode: "OpenCode",
};
