// (j) The grid with a million rows in a real browser: frames while it is scrolled by the wheel and along the bar, down and sideways, against an
// empty space that is scrolled alike in the same run; and the longest task while a million rows are sorted.
import { join } from "node:path";
import { openBrowser, longTasks, pageClock } from "./console/browser.mjs";
import { servePage } from "./grid/serve.mjs";
import { isQuick, sized } from "./size.mjs";

const PAGE = join(import.meta.dirname, "grid", "page.mjs");
const SECONDS = sized(4, 0.05);
const COLUMNS = sized(300, 12);
const ROWS = sized(1_000_000, 1_000);

export async function gridBench() {
  const served = await servePage(PAGE);
  const browser = await openBrowser({ url: served.url, token: "none" });
  try {
    const bare = await scrolling(await browser.open("/?bare"), "#bare");
    const page = await browser.open(`/?rows=${ROWS}&columns=${COLUMNS}`);
    await page.locator(".wb-row").first().waitFor();
    const grid = await scrolling(page, ".wb-scroll");
    const sorting = await sorted(page);
    const ways = Object.keys(grid);
    const ratio = Object.fromEntries(ways.map((way) => [way, round(grid[way].fps / bare[way].fps)]));
    return { rows: ROWS, columns: COLUMNS, goal_fps: 50, bare, grid, ratio, sorting };
  } finally {
    await browser.close();
    await served.stop();
  }
}

async function scrolling(page, selector) {
  const results = {};
  for (const [way, move] of Object.entries(WAYS)) results[way] = await measured(page, selector, move);
  return results;
}

/** Pixels in each turn of the wheel, or a drag along the bar. */
const WAYS = {
  wheel_down: { x: 0, y: 120 },
  wheel_fast: { x: 0, y: 2_400 },
  wheel_sideways: { x: 160, y: 0 },
  along_the_bar: "bar",
};

async function measured(page, selector, move) {
  await page.locator(selector).hover({ position: { x: 400, y: 300 } });
  const since = await pageClock(page);
  await page.evaluate((wanted) => {
    const element = document.querySelector(wanted);
    globalThis.stamps = [];
    globalThis.moved = 0;
    let before = 0;
    const tick = (now) => {
      const place = element.scrollTop + element.scrollLeft;
      globalThis.stamps.push(now);
      if (place !== before) globalThis.moved += 1;
      before = place;
      globalThis.ticking = requestAnimationFrame(tick);
    };
    globalThis.ticking = requestAnimationFrame(tick);
  }, selector);
  if (move === "bar") await alongTheBar(page, selector);
  else await byWheel(page, move);
  const { stamps, moved } = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.ticking);
    return { stamps: globalThis.stamps, moved: globalThis.moved };
  });
  // Frames of a page that stands still say nothing. A quick run measures nothing, and a busy machine leaves out frames.
  if (!isQuick && moved < stamps.length / 4) throw new Error(`only ${moved} of ${stamps.length} frames moved`);
  const steps = stamps.slice(1).map((stamp, index) => stamp - stamps[index]);
  const sortedSteps = steps.toSorted((one, other) => one - other);
  const at = (share) => round(sortedSteps[Math.min(steps.length - 1, Math.floor(steps.length * share))]);
  const fps = round((steps.length * 1_000) / (stamps.at(-1) - stamps[0]));
  return {
    fps,
    moving: round(moved / stamps.length),
    frame_ms: { p50: at(0.5), p99: at(0.99), most: at(1) },
    ...(await longTasks(page, since)),
  };
}

async function byWheel(page, { x, y }) {
  const until = Date.now() + SECONDS * 1_000;
  // There and back, so that no end is reached.
  for (let turn = 0; Date.now() < until; turn += 1) {
    const sign = Math.floor(turn / 60) % 2 === 0 ? 1 : -1;
    await page.mouse.wheel(x * sign, y * sign);
  }
}

/** As a hand on the bar does it: another place in every frame. */
function alongTheBar(page, selector) {
  return page.evaluate(
    ({ selector: wanted, ms }) =>
      new Promise((resolve) => {
        const element = document.querySelector(wanted);
        const begun = performance.now();
        const most = element.scrollHeight - element.clientHeight;
        const step = (now) => {
          const share = Math.max(0, now - begun) / ms;
          element.scrollTop = most * Math.abs(Math.sin(share * Math.PI * 2));
          if (share < 1) requestAnimationFrame(step);
          else resolve();
        };
        requestAnimationFrame(step);
      }),
    { selector, ms: SECONDS * 1_000 },
  );
}

/** From the click on a head until the first row is another one. */
async function sorted(page) {
  await page.evaluate(() => {
    const scroll = document.querySelector(".wb-scroll");
    scroll.scrollTop = 0;
    scroll.scrollLeft = 0;
  });
  const results = {};
  for (const name of ["Height", "Tree", "Note"]) {
    const since = await pageClock(page);
    await page.locator(`.wb-head-cell[aria-label^="${name},"]`).click({ position: { x: 30, y: 12 } });
    await page.locator(`.wb-head-cell[aria-label^="${name},"][aria-sort="ascending"]`).waitFor();
    await page.locator('.wb-scroll[aria-busy="false"]').waitFor();
    results[name] = { ms: Math.round((await pageClock(page)) - since), ...(await longTasks(page, since)) };
  }
  return results;
}

function round(value) {
  return Math.round(value * 100) / 100;
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await gridBench(), null, 2));
