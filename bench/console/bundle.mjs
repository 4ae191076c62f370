import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isQuick } from "../size.mjs";

const ASSETS = join(import.meta.dirname, "../../dist/web/assets");
const SHOWN = 12;

/** What the build made, by chunk, and what the list of sessions and a conversation load of it. */
export async function bundle({ browser, client }) {
  const { id } = await client.createSession({ provider: "sim", prompt: { text: "help" } });
  const first = await loaded(browser, "/sessions", (page) => page.locator("[data-session]").first());
  const conversation = await loaded(browser, `/sessions/${id}`, (page) => page.getByText("Turn ended").first());
  const sizes = new Map();
  // A quick run packs only what was loaded.
  for (const name of isQuick ? new Set([...first, ...conversation]) : await readdir(ASSETS)) {
    const bytes = await readFile(join(ASSETS, name));
    sizes.set(name, { raw: bytes.length, gzip: gzipSync(bytes).length });
  }
  return {
    chunks: sizes.size,
    all_kb: sumOf([...sizes.keys()], sizes),
    first_load: {
      ...sumOf(first, sizes),
      files: Object.fromEntries(first.map((name) => [name, kilobytes(sizes.get(name))])),
    },
    conversation: sumOf(conversation, sizes),
    largest: Object.fromEntries(
      [...sizes]
        .toSorted(([, left], [, right]) => right.raw - left.raw)
        .slice(0, SHOWN)
        .map(([name, size]) => [name, kilobytes(size)]),
    ),
  };
}

async function loaded(browser, path, seen) {
  const names = new Set();
  const page = await browser.open(path, {
    prepare: (page) => {
      page.on("response", (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.startsWith("/assets/")) names.add(pathname.slice("/assets/".length));
      });
    },
  });
  await seen(page).waitFor();
  await page.waitForLoadState("networkidle");
  await browser.leave(page);
  return [...names];
}

const kilobytes = ({ raw, gzip }) => ({ raw: Math.round(raw / 1_000), gzip: Math.round(gzip / 1_000) });

function sumOf(names, sizes) {
  const sum = { raw: 0, gzip: 0 };
  for (const name of names) {
    sum.raw += sizes.get(name).raw;
    sum.gzip += sizes.get(name).gzip;
  }
  return { count: names.length, ...kilobytes(sum) };
}
