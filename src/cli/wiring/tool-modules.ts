import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "../../protocol/index.ts";
import { toolsOfModule, type AnyTool, type ToolModule } from "../../tools/index.ts";
import type { Environment, Settings } from "../settings/settings.ts";
import { refuseUntrusted } from "../home/trusted-files.ts";

/**
 * The tools of the modules that the settings name, loaded once at the start, and of those that an embedding program `added`. A
 * Failure names the file and what is wrong.
 */
export async function loadToolModules(
  settings: Settings,
  environment: Environment,
  added: readonly ToolModule[] = [],
): Promise<readonly AnyTool[]> {
  const paths = (settings.toolModules?.value ?? []).map((path) => resolve(settings.home.value, path));
  refuseUntrusted(
    paths.map((path) => ({ path, rule: "unchanged" })),
    environment,
  );
  const tools: AnyTool[] = [];
  for (const path of paths) tools.push(...toolsOfModule(await load(path), path));
  for (const module of added) tools.push(...toolsOfModule(module, `${module.name} of this program`));
  const taken = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) !== index);
  if (taken !== undefined)
    throw new Failure("conflict", `two tools of tool_modules are named ${taken.name}: rename one of them`);
  return tools;
}

async function load(path: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const why = error instanceof Error ? error.message : "no reason was given";
    throw new Failure("invalid_request", `the tool module ${path} cannot be loaded: ${why}`);
  }
}
