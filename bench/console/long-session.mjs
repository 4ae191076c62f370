import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { longTasks, pageClock, scrolled } from "./browser.mjs";
import { sized } from "../size.mjs";

const TURNS = sized(5, 1);
const STEPS = sized(10, 1);
const TOOLS = sized(100, 4);
const SCROLLS = sized(300, 2);

/** A session of 5,000 items: opened at its end, then scrolled to its beginning with the wheel. */
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
  const opening = await longTasks(page);
  const frames = await scrolled(page, log, { steps: SCROLLS, by: -1_200 });
  const scrolling = await longTasks(page, shown);
  const rows = await log.locator("[data-seq]").count();
  await browser.leave(page);
  return {
    items: TURNS * STEPS * TOOLS,
    events: after,
    until_shown_ms: Math.round(shown - begun),
    opening,
    scrolling,
    frame_ms: quantiles(frames),
    rows_in_the_page: rows,
  };
}
