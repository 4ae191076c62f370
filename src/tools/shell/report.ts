import { setImmediate as nextTurn } from "node:timers/promises";
import type { Shell, ShellStatus } from "./shells.ts";
import { isRefusal } from "../refusal.ts";
import { errorResult, textResult, type ToolResult } from "../tool.ts";

export function noShell(id: string): ToolResult {
  return errorResult(`No shell found with ID: ${id}`);
}

function statusWords(status: ShellStatus): string {
  switch (status.state) {
    case "running":
      return "running";
    case "ended":
      if (status.reason !== undefined) return `ended: ${status.reason}`;
      return `${status.exitCode === 0 ? "completed" : "failed"} (exit code ${status.exitCode})`;
    case "killed":
      return "killed";
    case "timed_out":
      return "timed out";
  }
}

/** What is new from a shell, as the model reads it. */
export async function reportShell(shell: Shell, filter?: string): Promise<ToolResult> {
  // Output already in the pipe counts.
  await nextTurn();
  const { status } = shell;
  const output = shell.read(filter);
  if (isRefusal(output)) return errorResult(output.refused);
  const parts = [`Status: ${statusWords(status)}`];
  if (output.lost > 0) parts.push(`(${output.lost} bytes of older output were not kept.)`);
  parts.push(output.text === "" ? "(no new output)" : output.text);
  if (output.left > 0 && output.text !== "") parts.push(`(${output.left} bytes more are waiting: look again.)`);
  return textResult(parts.join("\n"), status.state === "ended" ? { exit_code: status.exitCode } : {});
}

/** Ends a shell that runs. */
export async function stopShell(shell: Shell): Promise<ToolResult> {
  if (shell.status.state !== "running")
    return errorResult(`Shell ${shell.id} is not running: ${statusWords(shell.status)}.`);
  await shell.kill();
  return textResult(`Killed shell ${shell.id}: ${shell.command}`);
}
