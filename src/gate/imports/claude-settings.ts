import { z } from "zod";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { canonicalTool, ruleForm } from "../rules.ts";
import { RuleCollector, type ImportedRules } from "./rules.ts";

const Rules = z.array(z.string().min(1)).max(LIMITS.importedRules);
const Settings = z.looseObject({
  permissions: z.looseObject({ allow: Rules.optional(), ask: Rules.optional(), deny: Rules.optional() }).optional(),
});
const UNUSED: Readonly<Record<string, string>> = {
  defaultMode: "set `autonomy` of the profile",
  additionalDirectories: "set `extra_read` of the profile",
};

/** `permissions` of Claude Code's settings. `home`: what `~` stands for; absent: such rules are left out. */
export function claudeRules(text: string, { home }: { readonly home?: string | undefined }): ImportedRules {
  const settings = Settings.safeParse(parsed(text));
  if (!settings.success) {
    const [issue] = settings.error.issues;
    throw new Failure("invalid_request", `it is no settings file of Claude Code: ${issue?.message ?? ""}`, {
      path: issue?.path ?? [],
    });
  }
  const { deny = [], ask = [], allow = [], ...others } = settings.data.permissions ?? {};
  const collector = new RuleCollector();
  for (const [effect, rules] of [
    ["deny", deny],
    ["ask", ask],
    ["allow", allow],
  ] as const)
    for (const rule of rules) collector.add(effect, ours(rule, home));
  for (const key of Object.keys(others))
    collector.leaveOut(
      `permissions.${key}`,
      (Object.hasOwn(UNUSED, key) ? UNUSED[key] : undefined) ?? "it has no counterpart",
    );
  return collector.rules;
}

/** In Claude Code `/a` begins at the project's folder and `//a` at the root of the disk; some tools have another name there. */
function ours(rule: string, home: string | undefined): string {
  const [, tool = "", content] = /^([^(]*)(?:\(([\s\S]*)\))?$/.exec(rule) ?? [];
  const name = canonicalTool(tool);
  if (content === undefined) return name;
  const form = ruleForm(name);
  const isPath = form === "read_path" || form === "write_path";
  return `${name}(${isPath ? ourPath(content, home) : content})`;
}

function ourPath(path: string, home: string | undefined): string {
  if (home !== undefined && path.startsWith("~/")) return `${home}${path.slice(1)}`;
  return /^\/(?!\/)/.test(path) ? `.${path}` : path;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Failure("invalid_request", "it is not JSON");
  }
}
