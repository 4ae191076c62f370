import { toolFacts, type ToolField } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

/** Fields of a tool that has simple ones; any other takes its input as JSON. */
export function formOf(tool: string): readonly ToolField[] | undefined {
  const facts = toolFacts(tool);
  return facts?.list === undefined ? facts?.fields : undefined;
}

/** The examples of a tool's fields, to begin with. */
export function exampleOf(tool: string): Readonly<Record<string, string>> {
  return Object.fromEntries((formOf(tool) ?? []).map(({ name, example }) => [name, example]));
}

/** What a person wrote as JSON; words say what is wrong with it. */
export function parseInput(text: string): { readonly input: Record<string, unknown> } | { readonly wrong: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { input: value as Record<string, unknown> };
    return { wrong: t('The input is a JSON object, such as {"command": "ls"}.') };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : t("This is not JSON.") };
  }
}
