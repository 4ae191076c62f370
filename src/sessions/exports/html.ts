import { dollars, escapedHtml } from "../../protocol/index.ts";
import type { ExportedCall, ExportedPart, ExportedTurn } from "./exported.ts";
import { statusWords, type ExportHead } from "./markdown.ts";

const STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d1b17; --soft: #5d584e; --line: #dedbd3; --tint: #f6f4ef }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17161a; --ink: #ecebf0; --soft: #b4b1bb; --line: #36343c; --tint: #201f24 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 52rem; padding: 24px 16px 64px; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; overflow-wrap: anywhere }
h2 { font-size: 13px; font-weight: 600; color: var(--soft); margin: 32px 0 8px }
ul.facts { margin: 0; padding: 0; list-style: none; color: var(--soft); font-size: 14px }
.prompt { background: var(--tint); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 12px 0 }
.notice { color: var(--soft); border-left: 3px solid var(--line); padding-left: 12px; margin: 12px 0; white-space: pre-wrap; overflow-wrap: anywhere }
details { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; padding: 0 12px }
summary { padding: 8px 0; cursor: pointer; overflow-wrap: anywhere }
summary code { color: var(--soft) }
details > :last-child { margin-bottom: 12px }
pre { background: var(--tint); border-radius: 8px; padding: 12px; overflow: auto; max-height: 32rem; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 8px }
a:focus-visible, summary:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
`;

/** Nothing runs and nothing is loaded: the file shows itself and knows no address. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A conversation as one HTML file that works offline. Whatever stands in it is shown as text. */
export async function* htmlOf(head: ExportHead, turns: AsyncIterable<ExportedTurn>): AsyncGenerator<string> {
  const title = escapedHtml(head.title);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title} · Sallyport</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<ul class="facts">${head.facts.map((fact) => `<li>${escapedHtml(fact)}</li>`).join("")}</ul>
`;
  let number = 0;
  for await (const turn of turns) {
    number += 1;
    yield turnHtml(number, turn);
  }
  yield `</main>\n</body>\n</html>\n`;
}

function turnHtml(number: number, { prompt, by, at, parts, end, cost_microusd }: ExportedTurn): string {
  const cost = cost_microusd === undefined ? undefined : dollars(cost_microusd);
  const facts = [`Prompt ${number}`, by, at, cost].filter((fact) => fact !== undefined).map(escapedHtml);
  const closing = end === "" ? "" : `<p class="notice">${escapedHtml(end)}</p>\n`;
  return `<section>
<h2>${facts.join(" · ")}</h2>
<div class="prompt text">${escapedHtml(prompt)}</div>
${parts.map(partHtml).join("")}${closing}</section>
`;
}

function partHtml(part: ExportedPart): string {
  switch (part.kind) {
    case "message":
      return messageHtml(part.text);
    case "thought":
      return `<details><summary>Thought</summary><div class="text">${escapedHtml(part.text)}</div></details>\n`;
    case "prompt":
      return `<div class="prompt text">${escapedHtml(part.text)}</div>\n`;
    case "notice":
      return `<p class="notice">${escapedHtml(part.text)}</p>\n`;
    case "call":
      return callHtml(part);
  }
}

/** Code blocks of Markdown are set apart; everything else stays as it was written. */
function messageHtml(text: string): string {
  return blocksOf(text)
    .map(({ isCode, lines }) => {
      const inner = lines.join("\n");
      if (isCode) return `<pre>${escapedHtml(inner)}</pre>\n`;
      return inner.trim() === "" ? "" : `<div class="text">${escapedHtml(inner.trim())}</div>\n`;
    })
    .join("");
}

interface FencedBlock {
  readonly isCode: boolean;
  readonly lines: readonly string[];
}

const FENCE = "```";

/** Each line is looked at once: a pattern over the whole text takes minutes for one that opens many blocks and closes none. */
function blocksOf(text: string): readonly FencedBlock[] {
  const lines = text.split("\n");
  const closing = lines.flatMap((line, index) => (line.trimEnd() === FENCE ? [index] : []));
  const blocks: FencedBlock[] = [];
  let from = 0;
  let next = 0;
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]?.startsWith(FENCE) !== true) continue;
    while ((closing[next] ?? lines.length) <= at) next += 1;
    const end = closing[next];
    if (end === undefined) break;
    blocks.push({ isCode: false, lines: lines.slice(from, at) }, { isCode: true, lines: lines.slice(at + 1, end) });
    from = end + 1;
    at = end;
  }
  return [...blocks, { isCode: false, lines: lines.slice(from) }];
}

function callHtml({ tool, about, status, details, parts }: ExportedCall): string {
  const short = about === "" ? "" : ` <code>${escapedHtml(about)}</code>`;
  const summary = `${escapedHtml(tool)}${short}${escapedHtml(statusWords(status))}`;
  const inner = `${details === undefined ? "" : detailsHtml(details)}${parts.map(partHtml).join("")}`;
  if (inner === "") return `<p class="notice">${summary}</p>\n`;
  return `<details><summary>${summary}</summary>\n${inner}</details>\n`;
}

function detailsHtml({ input, output, images }: NonNullable<ExportedCall["details"]>): string {
  const pictures = images.map(
    // Base64 by its schema: nothing in it could end the attribute.
    ({ media_type, data }) =>
      `<img alt="An image that the tool returned" src="data:${media_type};base64,${escapedHtml(data)}">\n`,
  );
  const told = output === "" ? "" : `<pre>${escapedHtml(output)}</pre>\n`;
  return `<pre>${escapedHtml(input)}</pre>\n${told}${pictures.join("")}`;
}
