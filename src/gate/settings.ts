import type { Profile } from "../protocol/index.ts";
import { toolListed } from "./match.ts";

/** Document 004's `.claude_settings.json`. */
export interface ClaudeSettings {
  readonly sandbox: { readonly enabled: boolean; readonly autoAllowBashIfSandboxed: boolean };
  readonly permissions: {
    readonly defaultMode: "acceptEdits" | "plan";
    readonly allow: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
}

const FILE_TOOLS = ["Read", "Write", "Edit", "Glob", "Grep"];
const BROWSER_TOOLS = ["navigate", "screenshot", "click", "fill", "select", "hover", "evaluate"].map(
  (verb) => `mcp__puppeteer__puppeteer_${verb}`,
);

/** A profile as Claude Code's settings: files only below the project folder, the tools that the profile gives, and its own rules. */
export function claudeSettings(profile: Profile): ClaudeSettings {
  const given = (tool: string): boolean => profile.tools === undefined || toolListed(profile.tools, tool);
  const allow = [
    ...FILE_TOOLS.filter(given).map((tool) => `${tool}(./**)`),
    ...(given("Bash") ? ["Bash(*)"] : []),
    ...BROWSER_TOOLS.filter(given),
    ...(profile.allow ?? []),
  ];
  return {
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
    permissions: {
      defaultMode: profile.autonomy === "read_only" ? "plan" : "acceptEdits",
      allow: [...new Set(allow)],
      ...(profile.ask === undefined ? {} : { ask: [...profile.ask] }),
      ...(profile.deny === undefined ? {} : { deny: [...profile.deny] }),
    },
  };
}
