import { toolsWith, type Policy, type Profile } from "../protocol/index.ts";
import { WRITING_TOOLS } from "./rules.ts";

/** Tools that only read: tier 0. */
const READ = toolsWith(({ tier }) => tier === "read");
/** Tools of pages that only list, describe or look up. Of an MCP server's tools only those that the settings say read (`callListed`). */
const LOOK_UP = [
  "mcp__*__list_*",
  "mcp__*__describe_*",
  "mcp__*__find_*",
  "mcp__*__search_*",
  "mcp__*__get_available_viewers",
] as const;
/** Network reads: tier 1. */
const NETWORK = toolsWith(({ tier, foreign }) => tier === "network" && foreign !== true);

/** Tools that pages and other clients provide. */
const PAGE_TOOLS = "mcp__*";

/** The tools that remain in mode `plan`. */
export const PLAN_TOOLS: readonly string[] = [...READ, ...LOOK_UP];

const readonlyTools: readonly string[] = [...READ, ...LOOK_UP, ...NETWORK];

/** Document 000's tools that only read, and its page's. */
const SERVER_TOOLS = ["Read", "Glob", "Grep", "WebSearch", "WebFetch", "mcp__datagrok__*"] as const;

const onServer = {
  // Hosts on the open internet; hosts of the local network must be named exactly.
  web_hosts: ["*"],
  autonomy: "full",
  // Document 000 lets a page name the model.
  client_may_choose: ["model"],
  for_agents: false,
} satisfies Profile;

/** Built-in profiles; one of the same name in the policy file replaces them. */
export const BUILTIN_PROFILES: Readonly<
  Record<
    "readonly" | "code-assist" | "full" | "guarded" | "server" | "server-code-assist" | "server-full" | "visitor",
    Profile
  >
> = {
  readonly: {
    description: "Looks, searches and fetches; changes nothing.",
    tools: [...readonlyTools],
    browser: [],
    for_agents: false,
  },
  "code-assist": {
    description: "Reads and edits files of the workspace; runs no programs.",
    tools: [...readonlyTools, ...WRITING_TOOLS],
    for_agents: false,
  },
  full: {
    description: "Every tool. What changes something is asked first.",
    for_agents: false,
  },
  guarded: {
    description: "Files of the workspace freely; shell commands only from the list of 18 that a web project needs.",
    // Document 004's settings: what the hook allows needs no question.
    allow: ["Read(./**)", "Write(./**)", "Edit(./**)", "Glob(./**)", "Grep(./**)", "Bash(*)"],
    hooks: ["guarded"],
    for_agents: false,
  },
  server: {
    description: "Nobody is asked: only tools that read, and those that a page offers (document 000).",
    tools: [...SERVER_TOOLS],
    ...onServer,
  },
  "server-code-assist": {
    description: "The same, and files of the workspace are edited (document 000, code assist). Nobody is asked.",
    tools: [...SERVER_TOOLS, "Edit", "Write"],
    ...onServer,
  },
  "server-full": {
    description:
      "The same, and programs and sub-agents run (document 000, full agent). Nobody is asked: give it a sandbox.",
    tools: [...SERVER_TOOLS, "Edit", "Write", "Bash", "Task", "NotebookEdit"],
    ...onServer,
  },
  visitor: {
    description: "Somebody on a web page: only the page's own tools, and what they change is asked of that person.",
    tools: [PAGE_TOOLS],
    visitor_may_approve: [PAGE_TOOLS],
    // Nobody else answers a visitor's questions.
    unattended: "deny",
    for_agents: false,
  },
};

export const DEFAULT_POLICY: Policy = { default_profile: "full", profiles: { ...BUILTIN_PROFILES } };

/**
 * Whether an operator may choose a profile by its name. Built-in profiles are open as long as the default profile is the built-in
 * one. A policy with another default, or other rules for it, must open profiles with `for_operators`.
 */
export function openToOperators(policy: Policy, name: string): boolean {
  const said = policy.profiles[name]?.for_operators;
  if (said !== undefined) return said;
  const { default_profile, profiles } = DEFAULT_POLICY;
  const isUnlocked =
    policy.default_profile === default_profile &&
    JSON.stringify(policy.profiles[default_profile]) === JSON.stringify(profiles[default_profile]);
  return isUnlocked && Object.hasOwn(profiles, name);
}
