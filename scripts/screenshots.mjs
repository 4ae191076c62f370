// Every page and state of the console, the workbench and the panel as a picture, wide and narrow, light and dark, with an index:
// screenshots/index.html. `--readme` makes the pictures of the papers anew (docs/images); `--only=<words>` takes scenes whose name holds them.
// Nothing is built here: it shows what is in dist.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { runnerImport } from "vite";
import { SallyportClient } from "../dist/client/index.js";
import { root } from "./setup.mjs";

const TOKEN = "sp_screenshots-000000000000000000000000000000";
const DAY_MS = 86_400_000;
const PAST_DAYS = 24;
const WAIT_MS = 20_000;
/** A page that moves is taken as it is after so many looks. */
const SETTLE_ROUNDS = 6;
const DESKTOP = { viewport: { width: 1_280, height: 800 }, deviceScaleFactor: 1 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, isMobile: true, hasTouch: true };
const LOOKS = [
  { name: "desktop-light", context: DESKTOP, colorScheme: "light" },
  { name: "desktop-dark", context: DESKTOP, colorScheme: "dark" },
  { name: "phone-light", context: PHONE, colorScheme: "light" },
  { name: "phone-dark", context: PHONE, colorScheme: "dark" },
];
/** Of the papers: the scene, the look, and how much of the window is worth showing. */
const README = [
  { file: "session.png", scene: "session-unfolded", look: "desktop-light", height: 800 },
  { file: "approval.png", scene: "approval-edit", look: "desktop-dark", height: 800 },
  { file: "changes.png", scene: "approval-changes", look: "desktop-light", height: 800 },
  { file: "usage.png", scene: "usage", look: "desktop-light", height: 800 },
  { file: "workbench.png", scene: "workbench", look: "desktop-light", width: 1_400, height: 860 },
  { file: "workbench-dark.png", scene: "workbench", look: "desktop-dark", width: 1_400, height: 860 },
  { file: "workbench-phone.png", scene: "workbench-phone-chart", look: "phone-light", width: 390, height: 844 },
  { file: "panel.png", scene: "panel", look: "desktop-light", height: 800 },
];

const load = async (path) =>
  (await runnerImport(join(root, path), { root, configFile: false, logLevel: "error" })).module;

/** A server on this home whose clock is so far behind; `stop` ends it. */
async function start({ home, workspace, hosts = "", behindMs = 0 }) {
  const clock = `const real = Date; globalThis.Date = class extends real { constructor(...given) { super(...(given.length === 0 ? [real.now() - ${behindMs}] : given)); } static now() { return real.now() - ${behindMs}; } };`;
  const child = spawn(
    process.execPath,
    [
      ...(behindMs === 0 ? [] : ["--import", `data:text/javascript,${encodeURIComponent(clock)}`]),
      join(root, "dist/cli/main.js"),
      "serve",
      "--home",
      home,
      "--workspace",
      workspace,
      "--port",
      "0",
      "--provider",
      "sim",
    ],
    {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SALLYPORT_TOKEN: TOKEN,
        SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
        ...(hosts === "" ? {} : { SALLYPORT_ALLOWED_HOSTS: hosts }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const said = [];
  child.stderr.on("data", (chunk) => said.push(chunk));
  const ended = once(child, "exit");
  const url = await new Promise((found, failed) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (match !== null) found(match[0]);
    });
    void ended.then(([code]) =>
      failed(new Error(`the server ended at start (${code}): ${Buffer.concat(said).toString()}`)),
    );
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url, stop, as: (token) => new SallyportClient({ url, token }) };
}

/** Days of work, so that the charts have something to show: each day a server whose clock stands there. */
async function livePast(place, prices) {
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await writeFile(join(place.home, "sallyport.yaml"), `prices: ${JSON.stringify(prices)}\n`);
  const models = ["claude-sonnet-5", "claude-opus-5", "claude-haiku-4-5"];
  for (let day = PAST_DAYS; day > 0; day -= 1) {
    if (day % 7 === 2) continue;
    const server = await start({ ...place, behindMs: day * DAY_MS });
    const client = server.as(TOKEN);
    for (const [index, model] of models.entries()) {
      const work = 1 + ((day * 5 + index * 3) % 7);
      const steps = [
        { usage: { input_tokens: work * 9_000, output_tokens: work * 4_200, cache_read_input_tokens: work * 88_000 } },
        { say: "Done." },
      ];
      const { id } = await client.createSession({
        model,
        prompt: {
          text: ["Review the open pull requests", "Find the slow query", "Sort the new tickets"][index],
          attachments: [{ type: "text", name: "notes.md", text: `sim: ${JSON.stringify(steps)}` }],
        },
      });
      for await (const { type } of client.watch(id)) if (type === "turn.completed" || type === "turn.failed") break;
      await client.control(id, "close");
    }
    await server.stop();
  }
}

/** A page at the scene, arranged. */
async function enter({ browser, url, scene, look, tokens }) {
  const context = await browser.newContext({ ...look.context, colorScheme: look.colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const token = scene.as === "nobody" ? undefined : scene.as === undefined ? TOKEN : tokens[scene.as];
  const mark = scene.path.includes("?") ? "&" : "?";
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(`${url}${scene.path}${token === undefined ? "" : `${mark}token=${token}`}`);
  try {
    await scene.arrange?.(page);
    await scene.seen(page).waitFor();
  } catch (error) {
    // What it looked like instead.
    await page.screenshot({ path: join(root, "screenshots", `${scene.name}.failed.png`) });
    throw error;
  }
  return { page, close: () => context.close() };
}

/** A picture once fonts and colours are there: these come from later chunks and a worker. */
async function picture(page, options) {
  await page.evaluate(() => document.fonts.ready);
  // What is about to come keeps its place by a grey box, which stands still. Scenes of loading keep theirs.
  await page
    .locator(".animate-pulse")
    .first()
    .waitFor({ state: "detached", timeout: WAIT_MS })
    .catch(() => undefined);
  let before;
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) {
    const now = await page.screenshot({ ...options, path: undefined });
    if (before !== undefined && before.equals(now)) break;
    before = now;
  }
  await writeFile(options.path, before);
}

async function take(stage, scenes, folder, made) {
  for (const scene of scenes) {
    for (const width of ["desktop", "phone"]) {
      if ((scene.only ?? width) !== width) continue;
      const looks = LOOKS.filter(({ name }) => name.startsWith(width));
      try {
        const { page, close } = await enter({ ...stage, scene, look: looks[0] });
        for (const { name, colorScheme } of looks) {
          await page.emulateMedia({ colorScheme });
          const file = `${scene.name}.${name}.png`;
          await picture(page, { path: join(folder, file) });
          made.push({ scene: scene.name, look: name, file });
        }
        await close();
      } catch (error) {
        console.error(`\n${scene.name} (${width}): ${String(error).split("\n").slice(0, 4).join(" ")}`);
        process.exitCode = 1;
      }
    }
    process.stderr.write(`${scene.name} `);
  }
}

function indexOf(made) {
  const names = [...new Set(made.map(({ scene }) => scene))];
  const rows = names.map((name) => {
    const pictures = made
      .filter(({ scene }) => scene === name)
      .map(
        ({ file, look }) =>
          `<a href="${file}"><img src="${file}" alt="${name}, ${look}" height="320" loading="lazy"></a>`,
      );
    return `<section><h2>${name}</h2>${pictures.join("\n")}</section>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Pages and states</title>
<style>body{font:15px system-ui;margin:24px;background:#888}section{margin-bottom:32px}img{margin:0 8px 8px 0;vertical-align:top}</style>
<h1>Pages and states</h1>
${rows.join("\n")}
`;
}

/** In the page: a folder of this run as everybody's. */
function rename({ from, to }) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) walker.currentNode.data = walker.currentNode.data.replaceAll(from, to);
}

async function forPapers(stage, scenes) {
  const folder = join(root, "docs/images");
  await mkdir(folder, { recursive: true });
  for (const { file, scene: name, look: given, width = 1_280, height } of README) {
    const scene = scenes.find((one) => one.name === name);
    if (scene === undefined) continue;
    const look = LOOKS.find((one) => one.name === given);
    const context = { ...look.context, viewport: { width, height } };
    const { page, close } = await enter({ ...stage, scene, look: { ...look, context } });
    await page.evaluate(rename, { from: stage.base, to: "/home/you" });
    await picture(page, { path: join(folder, file), clip: { x: 0, y: 0, width, height } });
    await close();
    console.error(`docs/images/${file}`);
  }
}

/** The pictures of these scenes, in the way that was asked for. */
async function show(stage, scenes) {
  await (stage.isForPapers ? forPapers(stage, scenes) : take(stage, scenes, stage.folder, stage.made));
}

/** The console: first as nobody has used it, then with a past. */
async function showConsole(stage, place, wanted) {
  const { furnish, PRICES } = await load("test/e2e/console/furniture.ts");
  const { FIRST_SCENES, scenesOf } = await load("test/e2e/console/scenes.ts");
  const early = stage.isForPapers ? [] : wanted(FIRST_SCENES);
  if (early.length > 0) {
    const first = await start(place);
    try {
      await show({ ...stage, url: first.url }, early);
    } finally {
      await first.stop();
    }
  }
  await livePast(place, PRICES);
  const server = await start(place);
  try {
    const { tokens, ...rest } = await furnish({ ...place, client: server.as(TOKEN), as: (token) => server.as(token) });
    await show({ ...stage, tokens, url: server.url }, wanted(scenesOf({ tokens, ...rest })));
  } finally {
    await server.stop();
  }
}

/** The workbench, and the panel in a page of somebody else. */
async function showWorkbench(stage, place, { workbench, panel }) {
  const { openHostSite } = await load("test/e2e/panel/host.ts");
  const { SHOP_FILES } = await load("test/e2e/panel/shop.ts");
  const { ownPort } = await load("test/support/port.ts");
  const port = await ownPort();
  const server = await start({ ...place, hosts: `127.0.0.1:${port}` });
  const site = await openHostSite({ port, served: () => server.url, files: SHOP_FILES });
  try {
    await show({ ...stage, url: server.url }, workbench);
    await show({ ...stage, url: site.url }, panel);
  } finally {
    await site.close();
    await server.stop();
  }
}

/** Runs with homes and workspaces of their own, which are gone afterwards. */
export async function screenshots(words) {
  const only = words.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";
  const { launchBrowser } = await load("test/support/chromium.ts");
  const { WORKBENCH_SCENES } = await load("test/e2e/workbench/scenes.ts");
  const { SHOP_SCENES } = await load("test/e2e/panel/shop.ts");
  const base = await mkdtemp(join(tmpdir(), "sallyport-screenshots-"));
  const folder = join(root, "screenshots");
  await mkdir(folder, { recursive: true });
  const browser = await launchBrowser();
  const wanted = (scenes) => scenes.filter(({ name }) => name.includes(only));
  const stage = { browser, base, folder, made: [], isForPapers: words.includes("--readme") };
  const placeOf = async (name) => {
    const place = { home: join(base, name, "home"), workspace: join(base, name, "project") };
    await mkdir(place.workspace, { recursive: true });
    return place;
  };
  const benches = { workbench: wanted(WORKBENCH_SCENES), panel: wanted(SHOP_SCENES) };
  try {
    // Days of work are not lived through for pictures of the others.
    if (!/^(?:workbench|panel)/.test(only)) await showConsole(stage, await placeOf("console"), wanted);
    if (benches.workbench.length + benches.panel.length > 0)
      await showWorkbench(stage, await placeOf("workbench"), benches);
    if (stage.isForPapers) return;
    await writeFile(join(folder, "index.html"), indexOf(stage.made));
    console.error(`\n${stage.made.length} pictures: screenshots/index.html`);
  } finally {
    await browser.close();
    await rm(base, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await screenshots(process.argv.slice(2));
