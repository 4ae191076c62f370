// (g) The console in a real browser: what it loads, how fast a model's word is painted while many sessions stream, and whether large
// things keep the page busy. The control of the words' way is a bare WebSocket reader of the same stream in the same run.
import { join } from "node:path";
import { BENCH_TOKEN, benchPlace, percentile, SERVER, serverEnvironment, startAsked, startChild } from "./children.mjs";
import { openBrowser } from "./console/browser.mjs";
import { bundle } from "./console/bundle.mjs";
import { loading } from "./console/loading.mjs";
import { large } from "./console/large.mjs";
import { longSession } from "./console/long-session.mjs";
import { words } from "./console/words.mjs";
import { isQuick } from "./size.mjs";
import { SallyportClient } from "../dist/client/index.js";

const MODEL = join(import.meta.dirname, "console", "clock-model.mjs");

export async function consoleBench(flags = []) {
  const only = flags.find((flag) => flag.startsWith("--part="))?.slice("--part=".length);
  const place = await benchPlace();
  const model = await startChild(isQuick ? [MODEL, "--quick"] : [MODEL]);
  const server = await startAsked([SERVER, place.home, place.workspace], serverEnvironment(model.url));
  const client = new SallyportClient({ url: server.url, token: BENCH_TOKEN });
  // What is measured is a page that has loaded nothing yet; a quick run measures nothing.
  const browser = await openBrowser({ url: server.url, token: BENCH_TOKEN, onePage: isQuick });
  const stage = { place, server, client, browser, quantiles };
  const parts = { bundle, loading, words, large, longSession };
  const results = {};
  try {
    for (const [name, part] of Object.entries(parts)) {
      if (only !== undefined && only !== name) continue;
      console.error(`console: ${name} …`);
      results[name] = await part(stage);
    }
    return results;
  } finally {
    await browser.close();
    await server.stop();
    await model.stop();
    await place.remove();
  }
}

function quantiles(values) {
  const round = (value) => Math.round(value * 10) / 10;
  return {
    count: values.length,
    p50: round(percentile(values, 0.5)),
    p99: round(percentile(values, 0.99)),
    most: round(Math.max(...values)),
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  console.log(JSON.stringify(await consoleBench(process.argv.slice(2)), null, 2));
