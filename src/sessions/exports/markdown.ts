import { dollars } from "../../protocol/index.ts";
import type { ExportedCall, ExportedPart, ExportedTurn } from "./exported.ts";

export interface ExportHead {
  readonly title: string;
  /** Lines of facts: engine, model, when it began. */
  readonly facts: readonly string[];
}

/** A conversation as Markdown that other programs read: text of tools is fenced, so that it stays text. */
export async function* markdownOf(head: ExportHead, turns: AsyncIterable<ExportedTurn>): AsyncGenerator<string> {
  yield `# ${oneLine(head.title)}\n\n${head.facts.map((fact) => `- ${oneLine(fact)}\n`).join("")}`;
  let number = 0;
  for await (const turn of turns) {
    number += 1;
    yield turnText(number, turn);
  }
}

function turnText(number: number, { prompt, by, at, parts, end, cost_microusd }: ExportedTurn): string {
  const facts = [by, at, cost_microusd === undefined ? undefined : dollars(cost_microusd)].filter(
    (fact) => fact !== undefined,
  );
  const closing = end === "" ? "" : `\n> ${oneLine(end)}\n`;
  return `\n## ${number}. Prompt\n\n_${facts.join(" · ")}_\n\n${quoted(prompt)}\n${parts.map((part) => partText(part, 3)).join("")}${closing}`;
}

function partText(part: ExportedPart, level: number): string {
  switch (part.kind) {
    case "message":
      return `\n${part.text}\n`;
    case "thought":
      return `\n<details><summary>Thought</summary>\n\n${fenced(part.text)}\n\n</details>\n`;
    case "prompt":
      return `\n${quoted(part.text)}\n`;
    case "notice":
      return `\n> ${oneLine(part.text)}\n`;
    case "call":
      return callText(part, level);
  }
}

function callText({ tool, about, status, details, parts }: ExportedCall, level: number): string {
  const heading = `\n${"#".repeat(Math.min(level, 6))} ${tool}${about === "" ? "" : `: ${code(about)}`}${statusWords(status)}\n`;
  const input = details === undefined ? "" : `\n${fenced(details.input)}\n`;
  const images = details?.images.length ?? 0;
  const output = details === undefined || details.output === "" ? "" : `\nOutput:\n\n${fenced(details.output)}\n`;
  const pictures = images === 0 ? "" : `\n${images === 1 ? "1 image" : `${images} images`} left out of this file.\n`;
  return `${heading}${input}${output}${pictures}${parts.map((part) => partText(part, level + 1)).join("")}`;
}

export function statusWords(status: ExportedCall["status"]): string {
  return status === "completed" ? "" : ` (${status.replaceAll("_", " ")})`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** Of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** A fence that the text cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, longestRun(text));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function code(text: string): string {
  const longest = longestRun(text);
  const mark = "`".repeat(longest + 1);
  return longest === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
