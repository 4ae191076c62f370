import { relative } from "node:path";
import { outputText, type ItemStatus, type Todo, type ToolItem } from "../../protocol/index.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine, visible } from "../terminal/visible.ts";
import { count, duration } from "../terminal/words.ts";
import { sumsOf } from "./diff.ts";

const TITLE_CHARS = 120;
const ASKED_CHARS = 300;

/** What a tool call is about, in a few words. */
export function titleOf(item: ToolItem, workspace: string): string {
  const input = item.approved_input ?? item.input;
  const text = (name: string): string | undefined => {
    const value = input[name];
    return typeof value === "string" ? value : undefined;
  };
  switch (item.type) {
    case "command_execution":
      return oneLine(text("command") ?? item.command, TITLE_CHARS);
    case "file_change":
      return near(text("file_path") ?? text("notebook_path") ?? item.changes[0]?.path ?? "", workspace);
    case "web_search":
      return oneLine(item.query, TITLE_CHARS);
    case "todo_list":
      return count(item.items.length, "item");
    case "subagent":
      return oneLine(item.description, TITLE_CHARS);
    case "mcp_tool_call":
    case "tool_call": {
      const path = text("file_path") ?? text("path");
      const about = text("pattern") ?? text("url") ?? text("bash_id") ?? text("shell_id") ?? text("task_id");
      const parts = [
        about === undefined ? undefined : oneLine(about, TITLE_CHARS),
        path === undefined ? undefined : near(path, workspace),
      ];
      const known = parts.filter((part) => part !== undefined).join(" in ");
      return known === "" ? oneLine(JSON.stringify(input), TITLE_CHARS) : known;
    }
  }
}

function near(path: string, workspace: string): string {
  const way = relative(workspace, path);
  return oneLine(path.startsWith("/") && way !== "" && !way.startsWith("..") ? way : path, TITLE_CHARS);
}

function mark(status: ItemStatus, paint: Paint): string {
  switch (status) {
    case "in_progress":
      return paint.cyan("•");
    case "completed":
      return paint.green("✓");
    case "failed":
      return paint.red("✗");
    case "declined":
    case "timed_out":
      return paint.yellow("⊘");
    case "interrupted":
    case "superseded":
      return paint.yellow("…");
  }
}

/** An ended tool call: one line, and a second one if it failed. */
export function endCard(item: ToolItem, workspace: string, paint: Paint): readonly string[] {
  const facts = [...factsOf(item, paint), ...(item.duration_ms === undefined ? [] : [duration(item.duration_ms)])];
  const status = item.status === "completed" || item.status === "failed" ? "" : ` ${item.status.replace("_", " ")}`;
  const head = `${mark(item.is_error === true && item.status === "completed" ? "failed" : item.status, paint)} ${paint.bold(visible(item.tool))} ${titleOf(item, workspace)}${status}${facts.map((fact) => paint.dim(` · `) + paint.dim(fact)).join("")}`;
  const asked = askedOf(item, paint);
  const isFine = item.status === "completed" && item.is_error !== true;
  return isFine ? [head, ...asked] : [head, ...asked, ...reasonOf(item, paint)];
}

/** What the agent had requested, if a person changed it. */
function askedOf({ input, approved_input }: ToolItem, paint: Paint): readonly string[] {
  if (approved_input === undefined) return [];
  const changed = Object.entries(input).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(approved_input[name]),
  );
  return changed.map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `  ${paint.dim(`asked: ${visible(name)} ${oneLine(text, ASKED_CHARS)}`)}`;
  });
}

function factsOf(item: ToolItem, paint: Paint): readonly string[] {
  const facts: string[] = [];
  if (item.approved_input !== undefined) facts.push("as edited by a person");
  if (item.unasked !== undefined) facts.push(`not asked: ${visible(item.unasked.rule.replace(/^supervised: /, ""))}`);
  if (item.type === "command_execution" && item.exit_code !== undefined) facts.push(`exit ${item.exit_code}`);
  if (item.type === "file_change" && item.diff !== undefined) {
    const { added, removed } = sumsOf(item.diff);
    facts.push(`${paint.green(`+${added}`)} ${paint.red(`−${removed}`)}`);
  }
  if (item.type === "tool_call" && item.status === "completed") {
    const text = outputText(item.output ?? []).trim();
    if (text !== "") facts.push(count(text.split("\n").length, "line"));
  }
  return facts;
}

function reasonOf(item: ToolItem, paint: Paint): readonly string[] {
  // A command's output is shown beside its card.
  if (item.type === "command_execution" && item.exit_code !== undefined) return [];
  const reason = outputText(item.output ?? []).trim();
  return reason === "" ? [] : [`  ${paint.dim(oneLine(reason, 300))}`];
}

export function todoLines(todos: readonly Todo[], paint: Paint): readonly string[] {
  return todos.map((todo) => {
    const text = visible(todo.content);
    switch (todo.status) {
      case "completed":
        return paint.dim(`  ☑ ${text}`);
      case "in_progress":
        return `  ${paint.cyan("▶")} ${paint.bold(visible(todo.activeForm ?? todo.content))}`;
      case "pending":
        return `  ☐ ${text}`;
    }
  });
}
