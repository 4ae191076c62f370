import type { Prompt as McpPrompt } from "@modelcontextprotocol/client";
import { LIMITS } from "../protocol/index.ts";
import { fullName } from "./server-tools.ts";

/** A prompt of a server, which a person can call by its name. */
export interface ServerPrompt {
  /** As people write it, without the slash. */
  readonly command: string;
  /** As the server knows it. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

interface PromptArgument {
  readonly name: string;
  readonly required: boolean;
}

/** The first of a server's prompts in our form. Of two with the same name the first counts. */
export function serverPrompts(server: string, prompts: readonly McpPrompt[]): readonly ServerPrompt[] {
  const taken = new Map<string, ServerPrompt>();
  for (const { name, title, description, arguments: given = [] } of prompts) {
    const command = fullName(server, name);
    if (taken.size >= LIMITS.mcpServerPrompts) break;
    if (name.length > LIMITS.toolNameChars || given.length > LIMITS.mcpPromptArguments || taken.has(command)) continue;
    const named = given.map((one) => ({ name: one.name, required: one.required === true }));
    taken.set(command, { command, name, description: description ?? title ?? "no description", arguments: named });
  }
  return [...taken.values()];
}

/** The arguments of a prompt, or the names of those that it needs and does not get. */
export type PromptInput =
  | { readonly input: Readonly<Record<string, string>> }
  | { readonly missing: readonly string[] };

/** The words after a command as a prompt's arguments, in the order of their declaration. The last one takes what is left. */
export function promptArguments(
  { arguments: declared }: Pick<ServerPrompt, "arguments">,
  words: readonly string[],
): PromptInput {
  const last = declared.length - 1;
  const valueOf = (index: number): string => (index === last ? words.slice(index).join(" ") : (words[index] ?? ""));
  const given = declared.map(({ name, required }, index) => ({ name, required, value: valueOf(index) }));
  const missing = given.filter(({ required, value }) => required && value === "").map(({ name }) => name);
  if (missing.length > 0) return { missing };
  return { input: Object.fromEntries(given.flatMap(({ name, value }) => (value === "" ? [] : [[name, value]]))) };
}
