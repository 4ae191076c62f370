import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openBetween } from "./between.mjs";
import { longTasks, pageClock, scrolled } from "./browser.mjs";
import { sized } from "../size.mjs";

const DIFF_BYTES = sized(10_000_000, 20_000);
const LINES = sized(100_000, 3_000);
const SCROLLS = sized(60, 2);

/** A diff of 10 MB to decide on, and an output of 100,000 lines: larger than the server ever sends, so they are put in on the way to the page. */
export async function large(stage) {
  return { diff_10_mb: await largeDiff(stage), output_100_000_lines: await largeOutput(stage) };
}

async function largeDiff({ browser, client, place, server }) {
  await writeFile(join(place.workspace, "large.ts"), "export const one = 1;\n");
  const steps = [{ tool: "Edit", input: { file_path: "large.ts", old_string: "one = 1", new_string: "one = 2" } }];
  const prompt = { text: `sim: ${JSON.stringify(steps)}` };
  const { id } = await client.createSession({ provider: "sim", unattended: "park", prompt });
  const approval = await questionOf(client, id);
  const { file } = approval.preview;
  const patch = hugePatch(file.file_path);
  const preview = {
    ...approval.preview,
    file: { ...file, diff: patch.text, added: patch.lines, removed: patch.lines },
  };
  const swap = (one) => (one.id === approval.id ? { ...one, preview } : one);
  const between = await openBetween(server.url, {
    body: (text) => {
      const body = JSON.parse(text);
      return JSON.stringify("approvals" in body ? { ...body, approvals: body.approvals.map(swap) } : swap(body));
    },
  });
  const page = await browser.open(`/approvals?id=${approval.id}`, { url: between.url });
  const first = page.getByText("value0 = 1").first();
  await first.waitFor();
  const shown = await pageClock(page);
  const opening = await longTasks(page);
  const frames = await scrolled(page, first, { steps: SCROLLS, by: 2_000 });
  const scrolling = await longTasks(page, shown);
  await browser.leave(page);
  between.close();
  await client.control(id, "close");
  return {
    bytes: patch.text.length,
    lines: patch.lines * 2,
    until_shown_ms: Math.round(shown),
    opening,
    scrolling,
    frames: frames.length,
  };
}

function hugePatch(path) {
  const parts = [];
  let size = 0;
  let line = 0;
  while (size < DIFF_BYTES) {
    const part = `-export const value${line} = 1; // as it was before\n+export const value${line} = 2; // as it is now\n`;
    parts.push(part);
    size += part.length;
    line += 1;
  }
  return { text: `--- a/${path}\n+++ b/${path}\n@@ -1,${line} +1,${line} @@\n${parts.join("")}`, lines: line };
}

async function questionOf(client, id) {
  for await (const frame of client.watch(id)) if (frame.type === "approval.requested") return frame.approval;
  throw new Error("nothing was asked");
}

async function largeOutput({ browser, client, server }) {
  const steps = [{ tool: "Bash", input: { command: "echo the-output" } }, { say: "Over." }];
  const prompt = { text: `sim: ${JSON.stringify(steps)}` };
  const { id } = await client.createSession({ provider: "sim", autonomy: "full", prompt });
  for await (const { type } of client.watch(id)) if (type === "turn.completed" || type === "turn.failed") break;
  const words = (line) => `\u001b[32mline ${line}\u001b[0m of the output, which is as long as lines are`;
  const output = Array.from({ length: LINES }, (_, line) => words(line)).join("\n");
  const between = await openBetween(server.url, {
    frame: (text) => (text.includes("the-output") ? withOutput(text, output) : text),
  });
  const page = await browser.open(`/sessions/${id}`, { url: between.url });
  await page.getByText("Over.", { exact: true }).waitFor();
  const opened = await pageClock(page);
  const opening = await longTasks(page);
  await page.getByRole("button", { name: /^Bash/ }).first().click();
  await page
    .getByText(`of ${LINES.toLocaleString("en-US")}`)
    .first()
    .waitFor();
  const unfolded = await pageClock(page);
  const unfolding = await longTasks(page, opened);
  await page.getByRole("button", { name: "Earlier" }).click();
  await page.getByText("Later").first().waitFor();
  const paging = await longTasks(page, unfolded);
  await browser.leave(page);
  between.close();
  return { bytes: output.length, until_shown_ms: Math.round(opened), opening, unfolding, paging };
}

function withOutput(text, output) {
  const frame = JSON.parse(text);
  const item = frame.event?.item ?? frame.item;
  if (item?.type !== "command_execution" || item.aggregated_output === undefined) return text;
  item.aggregated_output = output;
  return JSON.stringify(frame);
}
