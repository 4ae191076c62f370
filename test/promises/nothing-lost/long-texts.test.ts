import { describe, expect, it } from "vitest";
import { readCallInput } from "../../../src/engines/loop/call-input.ts";
import { readRecord } from "../../../src/imports/index.ts";
import type { ExportedTurn } from "../../../src/sessions/exports/exported.ts";
import { htmlOf } from "../../../src/sessions/exports/html.ts";
import { markdownOf } from "../../../src/sessions/exports/markdown.ts";

/**
 * What a model, a page or another program's record says is read in the server's one thread. Each of these texts took minutes to hours with
 * a pattern that looks at the rest of the text from every place; nothing is measured here, it only has to end.
 */
describe("texts that are made to take long end at once", () => {
  const HEAD = { title: "x", facts: [] };
  const turn = (text: string): ExportedTurn => ({
    prompt: "x",
    at: "2026-11-17T00:00:00Z",
    parts: [{ kind: "message", text }],
    end: "",
  });
  async function* once(text: string): AsyncGenerator<ExportedTurn> {
    yield turn(text);
  }
  const whole = async (chunks: AsyncIterable<string>): Promise<string> => {
    let all = "";
    for await (const chunk of chunks) all += chunk;
    return all;
  };

  it.each([
    ["a fence of line breaks", `\`\`\`json\n${"\n".repeat(500_000)}x`],
    ["a text that is not closed", `{"a":"${'\\"'.repeat(500_000)}`],
    ["commas", `{"a":[1${",".repeat(500_000)}`],
  ])("the input of a call: %s", (_what, text) => {
    expect(readCallInput(text).problem).toMatch(/^is not valid JSON/);
  });

  it("code blocks of a message that are opened and never closed", async () => {
    const page = await whole(htmlOf(HEAD, once("```a\n".repeat(200_000))));
    expect(page.match(/```a/g)).toHaveLength(200_000);
  });

  it("code blocks are what they were", async () => {
    const text = "One\n```ts\nconst a = 1;\n\n```\nTwo\n```\n```\n```js\nnot closed";
    const page = await whole(htmlOf(HEAD, once(text)));
    const shown = page.slice(page.indexOf('<div class="text">One'), page.indexOf("</section>"));
    expect(shown).toBe(
      '<div class="text">One</div>\n<pre>const a = 1;\n</pre>\n<div class="text">Two</div>\n<pre></pre>\n<div class="text">```js\nnot closed</div>\n',
    );
  });

  it("very many backticks in what a tool was asked", async () => {
    const call = {
      kind: "call",
      tool: "Bash",
      about: "",
      status: "completed",
      details: { input: "` ".repeat(300_000), output: "", images: [] },
      parts: [],
    } as const;
    async function* turns(): AsyncGenerator<ExportedTurn> {
      yield { ...turn(""), parts: [call] };
    }
    expect((await whole(markdownOf(HEAD, turns()))).length).toBeGreaterThan(600_000);
  });

  it("tags of a record that are never closed", () => {
    const content = "<command-name>".repeat(200_000);
    const found = readRecord(JSON.stringify({ type: "user", message: { content } }));
    expect(found?.conversation.turns).toHaveLength(1);
    const command = "<command-name>/review</command-name><command-args> a b </command-args>";
    expect(
      readRecord(JSON.stringify({ type: "user", message: { content: command } }))?.conversation.turns,
    ).toMatchObject([{ prompt: "/review  a b" }]);
  });
});
