import type { Policy, Profile } from "../protocol/index.ts";

/** Tools that only read: tier 0. */
const READ = [
  "Read",
  "Glob",
  "Grep",
  "LS",
  "NotebookRead",
  "TodoWrite",
  "BashOutput",
  "TaskOutput",
  "AskUserQuestion",
] as const;
/** Tools of pages and MCP servers that only list, describe or look up. */
const LOOK_UP = [
  "mcp__*__list_*",
  "mcp__*__describe_*",
  "mcp__*__find_*",
  "mcp__*__search_*",
  "mcp__*__get_available_viewers",
] as const;
/** Network reads: tier 1. */
const NETWORK = [
  "WebFetch",
  "mcp__puppeteer__puppeteer_navigate",
  "mcp__puppeteer__puppeteer_screenshot",
  "mcp__puppeteer__puppeteer_hover",
] as const;

/** The tools that are left in mode `plan`. */
export const PLAN_TOOLS: readonly string[] = [...READ, ...LOOK_UP];

const readonlyTools: readonly string[] = [...READ, ...LOOK_UP, ...NETWORK];

/** Profiles that exist without any policy file; one of the same name in the file replaces them. */
export const BUILTIN_PROFILES: Readonly<Record<"readonly" | "code-assist" | "full" | "guarded" | "server", Profile>> = {
  readonly: {
    description: "Looks, searches and fetches; changes nothing.",
    tools: [...readonlyTools],
    for_agents: true,
  },
  "code-assist": {
    description: "Reads and edits files of the workspace; runs no programs.",
    tools: [...readonlyTools, "Edit", "Write", "MultiEdit", "NotebookEdit"],
    for_agents: true,
  },
  full: { description: "Every tool. What changes something is asked first." },
  guarded: {
    description: "Files of the workspace freely; shell commands only from the list of 18 that a web project needs.",
    // Document 004's settings: what the hook lets pass needs no question.
    allow: ["Read(./**)", "Write(./**)", "Edit(./**)", "Glob(./**)", "Grep(./**)", "Bash(*)"],
    hooks: ["guarded"],
  },
  server: {
    description: "Nobody is asked: only tools that read, and those that a page lends (document 000).",
    tools: ["Read", "Glob", "Grep", "WebFetch", "mcp__datagrok__*"],
    // Hosts on the open internet; those of the own network must be named exactly.
    web_hosts: ["*"],
    autonomy: "full",
    for_agents: true,
  },
};

export const DEFAULT_POLICY: Policy = { default_profile: "full", profiles: { ...BUILTIN_PROFILES } };
