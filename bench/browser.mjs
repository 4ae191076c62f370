// A browser tool, through the toolbox and the session's browser, against the same action with bare puppeteer-core on the same Chromium.
import { createServer } from "node:http";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { browserTools, findBrowser, SessionBrowser } from "../dist/browser/index.js";
import { browserCommand } from "../dist/browser/command.js";
import { makeNewId } from "../dist/protocol/index.js";
import { openLocalSandbox } from "../dist/sandbox/index.js";
import { createToolbox, openToolSession } from "../dist/tools/index.js";
import { median } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(60, 1);
const WARM_UP = sized(10, 0);
const IN_A_ROW = sized(10, 1);
/** Of a script that takes less than a millisecond: whatever else runs on the machine takes longer. */
const QUICK = { rounds: sized(1_000, 1), warmUp: sized(200, 0) };
const PAGE = `<title>Bench</title><button id="b" onclick="this.textContent = Number(this.textContent) + 1">0</button><input id="i">`;
/** Of the shell that puts the protocol on the standard streams, and of the program. */
const PROGRAM_WORDS = 4;
const PREFIX = "mcp__puppeteer__puppeteer_";
/** What the script's result costs in the page is the same for both. */
const SCRIPT = "return document.title";
const SAME_SCRIPT = `(async () => { const result = (function() { ${SCRIPT} })(); return JSON.stringify(await result, null, 2); })()`;

export async function browserBench() {
  const program = findBrowser({
    executable: process.env.SALLYPORT_CHROMIUM,
    searchPath: (process.env.PATH ?? "").split(":"),
  });
  if ("reason" in program) return { skipped: `${program.reason}; ${program.remedy}` };
  const server = createServer((_request, response) => response.end(PAGE));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-bench-")));
  const bare = await openBare(program.path, folder);
  const ours = await openOurs(program, folder);
  try {
    await bare.page.goto(url, { waitUntil: "domcontentloaded" });
    await ours.run("navigate", { url });
    const actions = {
      click: [() => bare.page.click("#b"), () => ours.run("click", { selector: "#b" })],
      evaluate: [() => bare.page.evaluate(SAME_SCRIPT), () => ours.run("evaluate", { script: SCRIPT })],
      screenshot: [() => bare.page.screenshot({ encoding: "base64" }), () => ours.run("screenshot", { name: "bench" })],
      navigate: [() => bare.page.goto(url, { waitUntil: "domcontentloaded" }), () => ours.run("navigate", { url })],
    };
    const results = {};
    for (const [name, [control, action]] of Object.entries(actions))
      results[name] = await compare(control, action, name === "evaluate" ? QUICK : undefined);
    return { goal: "at most 1.2 times", ...results };
  } finally {
    await bare.close();
    await ours.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * In turn, so that whatever else the machine does meets both; each some times in a row, since an action that waits for a frame would
 * otherwise measure how the clocks of the two browsers happen to stand to each other.
 */
async function compare(control, action, { rounds, warmUp } = { rounds: ROUNDS, warmUp: WARM_UP }) {
  const sides = [
    { work: control, times: [] },
    { work: action, times: [] },
  ];
  for (let round = 0; round < warmUp + rounds; round += IN_A_ROW)
    for (const { work, times } of sides)
      for (let count = 0; count < IN_A_ROW; count += 1) {
        const ms = await timed(work);
        if (round >= warmUp) times.push(ms);
      }
  const [bare_ms, ours_ms] = sides.map(({ times }) => median(times));
  return { bare_ms, ours_ms, ratio: Number((ours_ms / bare_ms).toFixed(2)) };
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function openBare(executablePath, folder) {
  const { launch } = await import("puppeteer-core");
  const browser = await launch({
    executablePath,
    pipe: true,
    ignoreDefaultArgs: true,
    // The same Chromium with the same flags.
    args: browserCommand({
      program: executablePath,
      profile: join(folder, "bare"),
      network: { ownLoopback: true },
      isWalled: false,
    }).slice(PROGRAM_WORDS),
    defaultViewport: { width: 800, height: 600 },
  });
  const [page] = await browser.pages();
  return { page, close: () => browser.close() };
}

async function openOurs(program, folder) {
  const sandbox = openLocalSandbox({
    sessionId: "ses_bench",
    home: folder,
    marker: `bench-${folder}`,
    environment: { PATH: process.env.PATH },
  });
  const browser = new SessionBrowser({
    program,
    sandbox,
    workspace: folder,
    // Straight to the page: the proxy is measured elsewhere.
    place: async () => ({
      profile: join(folder, "ours"),
      network: { ownLoopback: true },
      close: async () => undefined,
    }),
    abilities: () => [],
    refusals: () => [],
    after: () => () => undefined,
  });
  const session = openToolSession({
    workspace: folder,
    sandbox,
    outputFolder: join(folder, "output"),
    extraRead: [],
    webHosts: [],
    newId: makeNewId(Date.now, (bytes) => crypto.getRandomValues(bytes)),
    now: Date.now,
  });
  const toolbox = createToolbox(session, { extra: browserTools(browser, { isOffered: true }) });
  const options = { signal: new AbortController().signal, onOutput: () => undefined };
  return {
    run: async (tool, input) => {
      const result = await toolbox.run(PREFIX + tool, input, options);
      if (result.is_error) throw new Error(result.content[0]?.text);
      return result;
    },
    close: async () => {
      await browser.close();
      await toolbox.close();
      await sandbox.close();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(JSON.stringify(await browserBench(), null, 2));
