import type { SyntaxNode } from "unbash";

/** `… | wc -l`: whatever runs, the result is a number. */
export function countsOnly(script: SyntaxNode | undefined): boolean {
  if (script?.type !== "Script" || script.commands.length !== 1) return false;
  const command = script.commands[0]?.command;
  const last = command?.type === "Pipeline" ? command.commands.at(-1) : undefined;
  if (last?.type !== "Command" || last.name?.text !== "wc") return false;
  return last.args.every((word) => /^-[clmw]$/.test(word.text)) && last.redirects.length === 0;
}
