import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { TOOL_FACTS } from "../../../src/protocol/index.ts";
import { describeInBrowser } from "../../support/browser.ts";
import { ALL_PAYLOADS, FILE_NAMES, PAYLOADS } from "./payloads.ts";
import { checkPage, listen, missing } from "./traces.ts";
import { consoleWorld, conversation } from "./world.ts";

const user = (content: unknown): object => ({ type: "user", message: { content } });
const assistant = (content: unknown): object => ({ type: "assistant", message: { content } });
const recordOf = (...lines: readonly object[]): Buffer =>
  Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));

/** What each field of a tool may hold where nobody checked it. */
const WRONG = (name: string): readonly unknown[] => [
  { [name]: 7 },
  { [name]: null },
  { [name]: ["x", { y: null }] },
  { [name]: { toString: 1, length: -1 } },
  JSON.parse(`{"__proto__":{"polluted":true},"${name}":true}`) as unknown,
];

/** Every tool that there is, and names that are none, each with inputs that are not its own. */
function wrongCalls(): readonly { readonly tool: string; readonly input: unknown }[] {
  const known = Object.entries(TOOL_FACTS).flatMap(([tool, facts]) =>
    ["fields" in facts ? facts.fields.map(({ name }) => name) : [], "todos", "questions", "edits", "description"]
      .flat()
      .flatMap((field) => WRONG(field).map((input) => ({ tool, input }))),
  );
  const odd = ["constructor", "__proto__", "mcp__", "mcp____", "mcp__a__", "toString", PAYLOADS[4] ?? "", "\u202eesaB"];
  return [...known, ...odd.flatMap((tool) => WRONG("command").map((input) => ({ tool, input })))];
}

/** The conversation is drawn as far as it is in sight: each part of it is brought there, and what is folded is opened. */
async function readThrough(page: Page): Promise<void> {
  const log = conversation(page);
  await log.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await log.getByText("Nothing of it ran here.").waitFor();
  for (let step = 0; step < 1_000; step += 1) {
    const isDone = await log.evaluate(
      (element) =>
        new Promise<boolean>((resolve) => {
          for (const folded of element.querySelectorAll<HTMLElement>("button[aria-expanded=false]")) folded.click();
          for (const folded of element.querySelectorAll("details")) folded.open = true;
          requestAnimationFrame(() => {
            element.scrollBy(0, -element.clientHeight * 0.8);
            requestAnimationFrame(() => resolve(element.scrollTop <= 0));
          });
        }),
    );
    if (isDone) return;
  }
  throw new Error("the conversation has no beginning");
}

describeInBrowser("a record that was made to do harm, imported in the console", () => {
  const world = consoleWorld();

  test("is read, found, shared and saved as text", async () => {
    const name = PAYLOADS[4] ?? "";
    const record = recordOf(
      user(`${PAYLOADS[0] ?? ""}\n\n${ALL_PAYLOADS}`),
      assistant([
        { type: "thinking", thinking: ALL_PAYLOADS },
        { type: "text", text: ALL_PAYLOADS },
        { type: "tool_use", id: "t1", name, input: { [name]: ALL_PAYLOADS } },
        { type: "tool_use", id: "t2", name: "Bash", input: { command: PAYLOADS[29], description: PAYLOADS[30] } },
        ...FILE_NAMES.map((file_path, index) => ({
          type: "tool_use",
          id: `f${String(index)}`,
          name: "Write",
          input: { file_path, content: ALL_PAYLOADS },
        })),
      ]),
      user([
        { type: "tool_result", tool_use_id: "t1", content: ALL_PAYLOADS },
        { type: "tool_result", tool_use_id: "t2", content: ALL_PAYLOADS, is_error: true },
      ]),
    );
    const visitor = await world.visit("/new");
    const told = listen(visitor.context, [world.app.serving.url]);
    const { page } = visitor;
    await page.getByRole("button", { name: "Import" }).waitFor();
    await page
      .getByLabel("Record to import")
      .setInputFiles({ name: `${PAYLOADS[4] ?? ""}.jsonl`, mimeType: "text/html", buffer: record });
    await page.waitForURL(/\/sessions\/ses_/);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await readThrough(page);
    await checkPage(visitor, told);
    const share = await world.client.exports.share(id, { tools: true, thoughts: true, costs: true });
    for (const path of [`/search?q=mark4`, `/sessions?q=mark0`, share.path]) {
      await page.goto(`${world.app.serving.url}${path}`);
      await page.locator("main").getByText("mark").filter({ visible: true }).first().waitFor();
      await checkPage(visitor, told);
    }
    const html = await (await world.client.exports.file(id, "html")).text();
    const saved = join(world.app.place.workspace, "saved.html");
    await writeFile(saved, html);
    const offline = await world.visit("/sessions");
    await offline.page.goto(`file://${saved}`);
    expect(missing(await offline.page.locator("body").textContent())).toEqual([]);
    expect(offline.troubles).toEqual([]);
    expect(await offline.page.evaluate(() => "__xss" in globalThis)).toBe(false);
    expect(html).not.toMatch(/<(?:script|iframe|img|svg|link|base|form|object)\b/i);
  });

  test("with calls of every tool whose inputs are of another kind, is shown whole", async () => {
    const calls = wrongCalls().map(({ tool, input }, index) => ({ tool, input, id: `c${String(index)}` }));
    const record = recordOf(
      user("Begin."),
      ...calls.map(({ id, tool, input }) => assistant([{ type: "tool_use", id, name: tool, input }])),
      user(
        calls
          .filter((_, index) => index % 2 === 0)
          .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" })),
      ),
      assistant([{ type: "text", text: "All were shown." }]),
    );
    const visitor = await world.visit("/new");
    const told = listen(visitor.context, [world.app.serving.url]);
    const { page } = visitor;
    await page.getByRole("button", { name: "Import" }).waitFor();
    await page
      .getByLabel("Record to import")
      .setInputFiles({ name: "calls.jsonl", mimeType: "text/plain", buffer: record });
    await page.waitForURL(/\/sessions\/ses_/);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await conversation(page).getByText("All were shown.").waitFor();
    await readThrough(page);
    expect(await page.evaluate(() => "polluted" in {})).toBe(false);
    await checkPage(visitor, told);
    for (const format of ["markdown", "html", "json"] as const)
      expect((await world.client.exports.file(id, format)).status).toBe(200);
    const share = await world.client.exports.share(id, { tools: true });
    await page.goto(`${world.app.serving.url}${share.path}`);
    await page.getByText("All were shown.").waitFor();
    await checkPage(visitor, told);
  });
});
