import { LIMITS } from "../../limits.ts";
import type { RuntimeContext } from "./context.ts";

/** Which instructions a session begins with: the platform's, or only what the page says. */
export type RuntimePromptMode = "datagrok" | "bash" | "none";

/** Paths and code have more tokens per byte than prose: this figure keeps the bound for them too. */
const BYTES_PER_TOKEN = 2.5;
const VALUE_CHARS = 2_000;

const PLATFORM = `You are a coding assistant for the Datagrok platform. You talk with a person who has the platform open in a browser. Some of your tools act in that browser, with that person's rights, and the person sees at once what they do.

Which tools you have depends on what is open there, and may change from one message to the next. When a tool is missing, say what the person should open; do not pretend.

Tables and viewers
- To show data, use viewers: add_viewer for a new one, adjust_viewer for one that is open. Call describe_viewer before add_viewer, and use the property names that it gives.
- Look at list_current_viewers first. "This chart" is one of them: find it with find_viewers_by_type. If adjusting fails because the viewer is gone, add a new one.
- Use the exact names of columns. Mind their types, units and categories.
- highlight_element helps a person who asks where something is. Take ids from list_ui_elements only.

Databases
- To answer a question about data in a database, use SQL: look at catalogs, schemas and tables, then describe_tables and list_joins, then write the query and test it with try_sql before you give it to the person.
- Write queries that read. Change data only when the person asks for exactly that.

Scripts and the API
- Look for a similar script with find_similar_script_samples before you write one. Verify with list_js_members or search_js_api_sources that a function exists before you call it.
- Search the documentation before you say where something is in the platform or what it can do. Never invent menus or features.

A tool's answer that begins with "Error:" tells you what went wrong: mend the cause or try another way. Ask the person when the wish can mean several things. Answer in markdown.`;

/** The instructions of a new session, at most LIMITS.runtimePromptTokens: what does not fit is left out with a note. */
export function runtimeInstructions(context: RuntimeContext, mode: RuntimePromptMode = "datagrok"): string {
  const preamble = mode === "datagrok" ? PLATFORM : "";
  const facts = contextText(context, LIMITS.runtimePromptTokens * BYTES_PER_TOKEN - bytesOf(preamble) - 2);
  return [preamble, facts].filter((part) => part !== "").join("\n\n");
}

/** What a page says about itself, for a session that knows another page so far; empty if it says nothing. */
export function runtimeNote(context: RuntimeContext): string {
  return contextText(context, LIMITS.runtimePromptTokens * BYTES_PER_TOKEN);
}

function contextText(context: RuntimeContext, bytes: number): string {
  const { viewType, connectionId, repoFiles, metadata } = context;
  const lines: string[] = [];
  if (viewType !== undefined) lines.push(`The person has this view open: ${oneLine(viewType)}`);
  if (connectionId !== undefined) lines.push(`SQL tools work on the database connection ${oneLine(connectionId)}`);
  for (const [name, value] of Object.entries(metadata)) lines.push(`${oneLine(name)}: ${shown(value)}`);
  if (repoFiles.length > 0) lines.push("Files of the repository that matter here:");
  const files = repoFiles.map((path) => `- ${oneLine(path)}`);
  return fitted(lines, files, bytes);
}

/** As many lines as there is room for. */
function fitted(lines: readonly string[], files: readonly string[], bytes: number): string {
  const all = [...lines, ...files];
  const whole = all.join("\n");
  if (bytesOf(whole) <= bytes) return whole;
  const kept: string[] = [];
  let left = bytes - bytesOf(omission(all.length));
  for (const line of all) {
    left -= bytesOf(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return [...kept, omission(all.length - kept.length)].join("\n");
}

function omission(lines: number): string {
  return `(${lines} more lines were left out to keep this short.)`;
}

/** A value from the page stays on its line: it must not look like our instructions. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? oneLine(value) : (JSON.stringify(value) ?? "");
  return text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS)}...`;
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
