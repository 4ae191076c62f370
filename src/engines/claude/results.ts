import { LIMITS, type ContentBlock, type FileChange, type ToolCallEnd, type ToolItem } from "../../protocol/index.ts";
import { unifiedDiff } from "../../tools/files/diff.ts";
import { type VendorToolResult } from "./wire.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

/** The end of a call that the vendor's program ran. `structured` is that program's own form of the result. */
export function endOf(item: ToolItem, outcome: VendorToolResult, structured: unknown): ToolCallEnd {
  const output = bounded(outcome.content.map(unwrapped));
  const end = { status: outcome.is_error ? "failed" : "completed", output, is_error: outcome.is_error } as const;
  switch (item.type) {
    case "command_execution":
      return { ...end, exit_code: exitCode(output, outcome.is_error) };
    case "file_change":
      return outcome.is_error ? end : { ...end, ...changesOf(item, record(structured)) };
    case "subagent": {
      const report = reportOf(record(structured)["content"]);
      return outcome.is_error || report.length === 0 ? end : { ...end, output: bounded(report) };
    }
    case "mcp_tool_call":
    case "tool_call":
    case "web_search":
    case "todo_list":
      return end;
  }
}

/** A sub-agent's own text, without the frame that the program adds for the model. */
function reportOf(content: unknown): readonly ContentBlock[] {
  const texts = (Array.isArray(content) ? content : []).map((block) => text(record(block)["text"]) ?? "");
  const spoken = texts.filter((part) => part !== "" && !part.startsWith("<tools-used-before-summary>"));
  return spoken.map((part) => ({ type: "text", text: part }));
}

const ERROR_FRAME = /^<tool_use_error>([\s\S]*)<\/tool_use_error>$/;

/** The program wraps its own errors in a frame for the model. */
function unwrapped(block: ContentBlock): ContentBlock {
  if (block.type === "image") return block;
  return { type: "text", text: ERROR_FRAME.exec(block.text)?.[1] ?? block.text };
}

/** Text cut to the limit for one result. */
function bounded(content: readonly ContentBlock[]): readonly ContentBlock[] {
  let room: number = LIMITS.toolOutputChars;
  return content.flatMap((block): readonly ContentBlock[] => {
    if (block.type === "image") return [block];
    const whole = block.text.toWellFormed();
    const kept = whole.slice(0, room);
    room -= kept.length;
    if (kept.length === whole.length) return [{ type: "text", text: whole }];
    return [{ type: "text", text: `${kept}\n(${whole.length - kept.length} characters were cut here.)` }];
  });
}

/** A failed command has its exit code in the first line; absent when it never ran or never ended. */
function exitCode(output: readonly ContentBlock[], failed: boolean): number | undefined {
  if (!failed) return 0;
  const [first] = output;
  const code = first?.type === "text" ? /^Exit code (\d{1,3})\b/.exec(first.text)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

interface VendorHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function changesOf(item: ToolItem, result: VendorFields): Pick<ToolCallEnd, "changes" | "diff"> {
  const input = item.approved_input ?? item.input;
  const path = text(input["file_path"]) ?? text(input["notebook_path"]) ?? text(result["filePath"]) ?? "";
  const kind: FileChange["kind"] = result["type"] === "create" ? "add" : "update";
  const diff = diffOf(path, result);
  return { changes: [{ path, kind }], ...(diff === undefined ? {} : { diff }) };
}

function diffOf(path: string, result: VendorFields): string | undefined {
  if (result["type"] === "create")
    return unifiedDiff({ path, before: "", after: text(result["content"]) ?? "" }).text || undefined;
  const patch = result["structuredPatch"];
  const hunks = Array.isArray(patch) ? patch.map(readHunk) : [];
  if (hunks.length === 0) return undefined;
  const lines: string[] = [];
  for (const hunk of hunks) {
    lines.push(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`);
    lines.push(...hunk.lines.filter((line) => !line.startsWith("\\")));
  }
  return [`--- a/${path}`, `+++ b/${path}`, ...lines].join("\n").slice(0, LIMITS.diffChars);
}

function readHunk(value: unknown): VendorHunk {
  const hunk = record(value);
  const number = (name: string): number => (typeof hunk[name] === "number" ? hunk[name] : 0);
  const lines = Array.isArray(hunk["lines"]) ? hunk["lines"] : [];
  return {
    oldStart: number("oldStart"),
    oldLines: number("oldLines"),
    newStart: number("newStart"),
    newLines: number("newLines"),
    lines: lines.filter((line): line is string => typeof line === "string"),
  };
}

function range(start: number, length: number): string {
  return length === 1 ? String(start) : `${start},${length}`;
}
