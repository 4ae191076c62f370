import { createServer } from "node:http";
import { once } from "node:events";
import { sized } from "../size.mjs";

const LOADS = sized(3, 1);
/** A slow 3G line: 50 KB/s and 400 ms to and fro. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const STATIC = '<!doctype html><html lang="en"><title>Static</title><h1>Hello</h1><p data-seen>Text.</p></html>';

/**
 * What it takes to open the list of sessions and a conversation: requests, bytes on the wire, processor time of the page's own thread (which
 * does not count the machine's other work), and the first text on a slow line. The control is a static page of one line.
 */
export async function loading({ browser, client, quantiles }) {
  const { id } = await client.createSession({ provider: "sim", prompt: { text: "help" } });
  const control = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(STATIC));
  control.listen(0, "127.0.0.1");
  await once(control, "listening");
  const pages = {
    control: { path: "/", url: `http://127.0.0.1:${control.address().port}`, seen: "[data-seen]" },
    list: { path: "/sessions", seen: "[data-session]" },
    session: { path: `/sessions/${id}`, seen: "[data-seq]" },
  };
  const results = {};
  try {
    for (const [name, page] of Object.entries(pages)) {
      const loads = [];
      const first_text_ms = [];
      for (let load = 0; load < LOADS; load += 1) {
        loads.push(await opened(browser, page));
        first_text_ms.push((await opened(browser, page, SLOW)).first_text_ms);
      }
      results[name] = {
        requests: loads[0].requests,
        wire_kb: loads[0].wire_kb,
        cpu_ms: quantiles(loads.map(({ cpu_ms }) => cpu_ms)),
        slow_line_first_text_ms: quantiles(first_text_ms),
      };
    }
    return results;
  } finally {
    control.close();
  }
}

async function opened(browser, { path, url, seen }, line) {
  let requests = 0;
  let bytes = 0;
  let tools;
  const page = await browser.open(path, {
    url,
    prepare: async (fresh) => {
      tools = await fresh.context().newCDPSession(fresh);
      await tools.send("Network.enable");
      if (line !== undefined) await tools.send("Network.emulateNetworkConditions", line);
      await tools.send("Performance.enable", { timeDomain: "threadTicks" });
      tools.on("Network.requestWillBeSent", () => (requests += 1));
      tools.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    },
  });
  await page.locator(seen).first().waitFor();
  await page.waitForLoadState("networkidle");
  const { metrics } = await tools.send("Performance.getMetrics");
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
  await tools.detach();
  await browser.leave(page);
  return {
    requests,
    wire_kb: Math.round(bytes / 1_000),
    cpu_ms: Math.round((metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000),
    first_text_ms: Math.round(paint),
  };
}
