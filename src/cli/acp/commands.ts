import type { AvailableCommand } from "@agentclientprotocol/sdk";
import {
  dollars,
  spendingWords,
  type Prompt,
  type SessionContext,
  type SessionUsage,
  type WorkspaceCommandList,
} from "../../protocol/index.ts";
import { modesOf } from "./modes.ts";
import type { Configurable } from "./config-options.ts";

/** Our own commands. Any other word after a slash is a command of the workspace, or goes to the model unchanged. */
export const COMMANDS = [
  {
    name: "plan",
    description: "Read and plan, change nothing; a task after it begins at once",
    input: { hint: "what to plan" },
  },
  { name: "mode", description: "Show or change the permission mode", input: { hint: "a mode" } },
  { name: "model", description: "Show or change the model", input: { hint: "a model" } },
  { name: "context", description: "Show what the workspace tells the agent, and what that costs in tokens" },
  { name: "usage", description: "Show the tokens and the cost of this session" },
] as const satisfies readonly AvailableCommand[];

type EditorCommandName = (typeof COMMANDS)[number]["name"];

/** A command with the words after it. */
export interface SlashCommand {
  readonly name: EditorCommandName;
  readonly rest: string;
}

const COMMAND = /^\/([a-z]+)(?:\s+([\s\S]*))?$/;

/** Undefined: it is a prompt for the model. */
export function commandIn({ text }: Prompt): SlashCommand | undefined {
  const [, word, rest = ""] = COMMAND.exec(text) ?? [];
  const known = COMMANDS.find(({ name }) => name === word);
  return known === undefined ? undefined : { name: known.name, rest: rest.trim() };
}

/** Commands of the workspace as editors know them. */
export function workspaceCommands({ commands }: WorkspaceCommandList): readonly AvailableCommand[] {
  return commands.map(({ name, description, argument_hint }) => ({
    name,
    description,
    ...(argument_hint === undefined ? {} : { input: { hint: argument_hint } }),
  }));
}

export function contextText({ files, left_out, repository_parts, file_tokens }: SessionContext): string {
  const lines = files.map(({ kind, path, tokens }) => `- ${path} (${kind}): ${tokens} tokens`);
  const parts = repository_parts.map(({ path, from, to, tokens }) => `- ${path}:${from}-${to}: ${tokens} tokens`);
  const skipped = left_out.map(({ path, why }) => `- ${path}${path === "" ? "" : ": "}${why}`);
  return [
    files.length === 0
      ? "Nothing of the workspace is loaded."
      : `Loaded from the workspace, about ${file_tokens} tokens of each request:`,
    ...lines,
    ...(parts.length === 0 ? [] : ["", "Put beside messages that they fit:", ...parts]),
    ...(skipped.length === 0 ? [] : ["", "Not loaded:", ...skipped]),
  ].join("\n");
}

export function modeText(settings: Configurable): string {
  const { currentModeId, availableModes } = modesOf(settings);
  const lines = availableModes.map(
    ({ id, description }) => `- ${mark(id, currentModeId)}: ${description ?? "no description"}`,
  );
  return [`The mode is ${currentModeId}. Change it with \`/mode <mode>\`:`, ...lines].join("\n");
}

export function modelText({ model }: Configurable, models: readonly string[]): string {
  const lines = models.map((name) => `- ${mark(name, model)}`);
  return [`The model is ${model}. Change it with \`/model <model>\`:`, ...lines].join("\n");
}

function mark(name: string, current: string): string {
  return name === current ? `**${name}**` : name;
}

export function usageText(usage: SessionUsage): string {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const { limit_microusd, remaining_microusd } = usage;
  const limit =
    limit_microusd === undefined
      ? "no limit of its own"
      : `${dollars(remaining_microusd ?? 0)} left of ${dollars(limit_microusd)}`;
  return [
    `- Requests: ${usage.requests}`,
    `- Tokens: ${input_tokens} in, ${output_tokens} out, ${cache_read_tokens} read from the cache, ${cache_write_tokens} written to it`,
    `- Cost: ${spendingWords(usage)}`,
    `- Budget: ${limit}`,
  ].join("\n");
}
