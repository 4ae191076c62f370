import { createHash } from "node:crypto";
import { z } from "zod";
import { LIMITS, McpServers, type SkippedFile } from "../protocol/index.ts";

/** A program that a repository wants to run before calls of tools. */
export interface RepositoryHook {
  /** Names of tools: a regular expression. Empty: all. */
  readonly matcher: string;
  readonly command: string;
  readonly timeout_ms: number;
}

/** What a repository says in `.mcp.json` and `.claude/settings.json`. Rules only take away; programs need a person's yes. */
export interface RepositorySettings {
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  /** As the file has them: variables are not filled in. */
  readonly servers: McpServers;
  readonly hooks: readonly RepositoryHook[];
  /** Identifies servers and hooks, which is what a person approves. Empty: there are none. */
  readonly programs: string;
}

export const NO_REPOSITORY_SETTINGS: RepositorySettings = { deny: [], ask: [], servers: {}, hooks: [], programs: "" };

/** A file of settings as it was read. */
export interface SettingsText {
  readonly kind: "servers" | "settings";
  readonly path: string;
  readonly text: string;
}

const Rules = z.array(z.string().max(LIMITS.ruleChars)).max(LIMITS.repositoryRules);
const Hooks = z
  .array(
    z.object({
      matcher: z.string().max(LIMITS.ruleChars).optional(),
      hooks: z
        .array(
          z.object({
            type: z.literal("command"),
            command: z.string().min(1).max(LIMITS.mcpServerTextChars),
            timeout: z.number().positive().optional(),
          }),
        )
        .max(LIMITS.repositoryHooks),
    }),
  )
  .max(LIMITS.repositoryHooks);
/** A clever regular expression could take for ever, so only names of tools are understood. */
const MATCHER = /^[\w|*.]*$/;
const ServersFile = z.object({ mcpServers: z.record(z.string(), z.unknown()) });
const SettingsFile = z.object({
  permissions: z.looseObject({ deny: z.unknown().optional(), ask: z.unknown().optional() }).optional(),
  hooks: z.record(z.string(), z.unknown()).optional(),
});

/** Reads all of them. What cannot be used is left out, with the reason. */
export function repositorySettings(files: readonly SettingsText[]): {
  readonly settings: RepositorySettings;
  readonly skipped: readonly SkippedFile[];
} {
  const reading = new Reading();
  for (const file of files) reading.take(file);
  return { settings: reading.settings, skipped: reading.skipped };
}

class Reading {
  readonly skipped: SkippedFile[] = [];
  readonly #deny: string[] = [];
  readonly #ask: string[] = [];
  readonly #servers: McpServers = {};
  readonly #hooks: RepositoryHook[] = [];

  get settings(): RepositorySettings {
    const [servers, hooks] = [this.#servers, this.#hooks];
    const isNothing = Object.keys(servers).length === 0 && hooks.length === 0;
    const programs = isNothing
      ? ""
      : createHash("sha256")
          .update(JSON.stringify([servers, hooks]))
          .digest("hex");
    return { deny: this.#deny, ask: this.#ask, servers, hooks, programs };
  }

  take({ kind, path, text }: SettingsText): void {
    const value = parsed(text);
    if (value === undefined) this.#skip(path, "it is not JSON");
    else if (kind === "servers") this.#takeServers(path, value);
    else this.#takeSettings(path, value);
  }

  #takeServers(path: string, value: unknown): void {
    const file = ServersFile.safeParse(value);
    if (!file.success) return this.#skip(path, "it has no mcpServers");
    for (const [name, server] of Object.entries(file.data.mcpServers).slice(0, LIMITS.mcpServers)) {
      const read = McpServers.safeParse({ [name]: server });
      const known = read.data?.[name];
      if (known === undefined || known.type === "settings")
        this.#skip(path, `its server ${name.slice(0, LIMITS.mcpServerNameChars)}: ${problemIn(read.error)}`);
      else this.#servers[name] = known;
    }
    const more = Object.keys(file.data.mcpServers).length - LIMITS.mcpServers;
    if (more > 0) this.#skip(path, `${LIMITS.mcpServers} servers are taken, and ${more} are not`);
  }

  #takeSettings(path: string, value: unknown): void {
    const file = SettingsFile.safeParse(value);
    if (!file.success) return this.#skip(path, "its hooks or permissions have another form");
    const { permissions, hooks = {} } = file.data;
    if (permissions !== undefined) this.#takeRules(path, permissions);
    for (const [event, listed] of Object.entries(hooks)) {
      const read = Hooks.safeParse(listed);
      if (event !== "PreToolUse")
        this.#skip(path, `its hooks of ${event.slice(0, 40)} are not run: only PreToolUse is`);
      else if (!read.success) this.#skip(path, "its hooks have another form");
      else
        for (const { matcher = "", hooks: commands } of read.data)
          if (!MATCHER.test(matcher))
            this.#skip(path, `its hook for ${matcher.slice(0, 40)} is not run: names, | and * only`);
          else for (const { command, timeout } of commands) this.#takeHook({ matcher, command, timeout });
    }
  }

  #takeHook({
    matcher,
    command,
    timeout = Infinity,
  }: {
    matcher: string;
    command: string;
    timeout?: number | undefined;
  }): void {
    if (this.#hooks.length >= LIMITS.repositoryHooks) return;
    const timeout_ms = Math.min(timeout * 1_000, LIMITS.repositoryHookMs);
    this.#hooks.push({ matcher: matcher === "*" ? "" : matcher, command, timeout_ms });
  }

  #takeRules(path: string, permissions: Readonly<Record<string, unknown>>): void {
    for (const [key, rules] of [
      ["deny", this.#deny],
      ["ask", this.#ask],
    ] as const) {
      if (permissions[key] === undefined) continue;
      const read = Rules.safeParse(permissions[key]);
      if (read.success) rules.push(...read.data);
      else this.#skip(path, `its permissions.${key} have another form`);
    }
    const others = Object.keys(permissions).filter((key) => key !== "deny" && key !== "ask");
    if (others.length > 0)
      this.#skip(path, "permissions of a workspace only take away: deny and ask count, the others do not");
  }

  #skip(path: string, why: string): void {
    this.skipped.push({ path, why });
  }
}

function problemIn(error: z.ZodError | undefined): string {
  const [issue] = error?.issues ?? [];
  return issue === undefined ? "it has another form" : issue.message.slice(0, LIMITS.previewSummaryChars);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
