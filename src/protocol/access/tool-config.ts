import { z } from "zod";
import { toolFacts, type ToolFacts } from "./tool-facts.ts";

const words = z.array(z.string().min(1).max(1_000)).min(1).max(100);

/** What calls of one tool are narrowed to: all others are refused. Which field a tool has follows from what its rules may say. */
export const ToolConfig = z
  .object({
    commands: words
      .optional()
      .describe("Of Bash: as in rules, such as npm test and git log:*; each command of a line must be one of them"),
    paths: words
      .optional()
      .describe("Of tools for files: paths and patterns such as src/**; each path of a call must be one of them"),
    hosts: words.optional().describe("Of WebFetch: the only hosts; *.example.org for subdomains"),
    agents: words.optional().describe("Of Task: the only kinds of sub-agents"),
  })
  .strict();
export type ToolConfig = z.infer<typeof ToolConfig>;

const FIELDS = {
  command: "commands",
  read_path: "paths",
  write_path: "paths",
  domain: "hosts",
  subagent: "agents",
} as const satisfies Record<NonNullable<ToolFacts["rule"]>, keyof ToolConfig>;

/** Why a tool cannot have this configuration; undefined: it can. */
export function toolConfigFault(tool: string, config: ToolConfig): string | undefined {
  const field = fieldOf(tool);
  const other = Object.keys(config).find((name) => name !== field);
  if (other === undefined) return undefined;
  return field === undefined ? `${tool} takes no configuration` : `${tool} takes ${field}, not ${other}`;
}

/** The rules that say the same, in the policy's syntax. Empty: all calls are meant. */
export function toolConfigRules(tool: string, config: ToolConfig): readonly string[] {
  const field = fieldOf(tool);
  const listed = field === undefined ? [] : (config[field] ?? []);
  return listed.map((text) => `${tool}(${field === "hosts" ? "domain:" : ""}${text})`);
}

function fieldOf(tool: string): keyof ToolConfig | undefined {
  const form = toolFacts(tool)?.rule;
  return form === undefined ? undefined : FIELDS[form];
}

/** A tool's configuration, also under its other name. Undefined: it has none. */
export function toolConfigOf(configs: ToolConfigs | undefined, tool: string): ToolConfig | undefined {
  const name = ownName(tool);
  return Object.entries(configs ?? {}).find(([configured]) => ownName(configured) === name)?.[1];
}

function ownName(tool: string): string {
  return toolFacts(tool)?.same_as ?? tool;
}

/** The configuration of a session's tools, by their names. */
export const ToolConfigs = z.record(z.string().min(1).max(200), ToolConfig).superRefine((configs, context) => {
  for (const [tool, config] of Object.entries(configs)) {
    const fault = toolConfigFault(tool, config);
    if (fault !== undefined) context.addIssue({ code: "custom", path: [tool], message: fault });
  }
});
export type ToolConfigs = z.infer<typeof ToolConfigs>;
