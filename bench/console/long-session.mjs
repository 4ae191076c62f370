import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { longTasks, pageClock, scrolled } from "./browser.mjs";
import { sized } from "../size.mjs";

const TURNS = sized(10, 1);
const STEPS = sized(10, 1);
const TOOLS = sized(100, 4);
const SCROLLS = sized(300, 2);

/**
 * A session of 10,000 items: opened at its end, then scrolled to its beginning with the wheel. The control is a reader that must have the whole
 * journal before it shows the end, as the page did once.
 */
export async function longSession({ browser, client, place, quantiles }) {
  await writeFile(join(place.workspace, "small.txt"), "small\n");
  const read = { tool: "Read", input: { file_path: "small.txt" } };
  const steps = Array.from({ length: STEPS }, () => ({ tools: Array.from({ length: TOOLS }, () => read) }));
  const { id } = await client.createSession({ provider: "sim" });
  let after = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await client.prompt(id, { text: `sim: ${JSON.stringify([...steps, { say: `Turn ${turn} is over.` }])}` });
    for await (const frame of client.watch(id, { after })) {
      if ("seq" in frame) after = frame.seq;
      if (frame.type === "turn.completed" || frame.type === "turn.failed") break;
    }
  }
  const page = await browser.open(`/sessions/${id}`);
  const begun = await pageClock(page);
  const log = page.getByRole("log", { name: "Conversation" });
  await log.getByText(`Turn ${TURNS} is over.`, { exact: true }).waitFor();
  const shown = await pageClock(page);
  const whole_journal_ms = await wholeJournal(client, id, after);
  const opening = await longTasks(page);
  const frames = await scrolled(page, log, { steps: SCROLLS, by: -1_200 });
  const scrolling = await longTasks(page, shown);
  const rows = await log.locator("[data-seq]").count();
  await browser.leave(page);
  return {
    items: TURNS * STEPS * TOOLS,
    events: after,
    until_shown_ms: Math.round(shown - begun),
    whole_journal_ms: Math.round(whole_journal_ms),
    opening,
    scrolling,
    frame_ms: quantiles(frames),
    rows_in_the_page: rows,
  };
}

/** How long the whole journal takes to arrive. */
async function wholeJournal(client, id, last) {
  const begun = performance.now();
  for await (const frame of client.watch(id)) if ("seq" in frame && frame.seq >= last) break;
  return performance.now() - begun;
}
