import type { SessionContext } from "../../protocol/index.ts";
import { table } from "../terminal/table.ts";

/** What a session's next turn begins with: one line for each part, then their sum. */
export function contextTable(context: SessionContext, width: number): readonly string[] {
  const { files, left_out, repository_parts, system_prompt_tokens, tool_tokens, file_tokens, window_tokens } = context;
  const told = repository_parts.reduce((total, { tokens }) => total + tokens, 0);
  const sum = system_prompt_tokens + tool_tokens + file_tokens + told;
  const rows = [
    ...files.map(({ kind, path, bytes, tokens }) => [kind, whole(tokens), whole(bytes), path]),
    ...(system_prompt_tokens === 0 ? [] : [["prompt", whole(system_prompt_tokens), "", "the session's system_prompt"]]),
    ...repository_parts.map(({ path, from, to, tokens }) => ["part", whole(tokens), "", `${path}:${from}-${to}`]),
    ["tools", whole(tool_tokens), "", "definitions of the session's tools"],
    ["total", whole(sum), "", window_tokens === undefined ? "" : `of a window of ${whole(window_tokens)}`],
  ];
  return [
    ...table([["KIND", "TOKENS", "BYTES", "FROM"], ...rows], width),
    ...(context.instructions === "off" ? ["", "Instructions of the workspace are off for this session."] : []),
    ...(left_out.length === 0 ? [] : ["", "Not loaded:"]),
    ...left_out.map(({ path, why }) => (path === "" ? `  ${why}` : `  ${path}: ${why}`)),
  ];
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}
