import { WebSocket } from "ws";
import { BENCH_TOKEN } from "../children.mjs";
import { sized } from "../size.mjs";

const SESSIONS = sized(50, 2);
const STAMP = /t(\d{13}\.\d)/g;
/** The first words come while the page still loads its parts. */
const WARM_WORDS = sized(40, 1);

/**
 * From the moment a model sends a word to the moment it is painted, with 50 sessions streaming 20 words a second each; the page follows one
 * of them and has the feed of all. Beside it a bare WebSocket reads the same session: what the page adds is the difference.
 */
export async function words({ browser, client, server, quantiles }) {
  const watched = await client.createSession({});
  const page = await browser.open(`/sessions/${watched.id}`);
  await page.getByLabel("Prompt").waitFor();
  await page.evaluate(watchWords);
  const reader = await bareReader(server.url, watched.id);
  const others = [];
  for (let index = 1; index < SESSIONS; index += 1)
    others.push(client.createSession({ prompt: { text: "What time is it?" } }));
  await Promise.all(others);
  await server.ask("reset");
  await client.prompt(watched.id, { text: "What time is it?" });
  for await (const { type } of client.watch(watched.id)) if (type === "turn.completed" || type === "turn.failed") break;
  await page.getByText("Turn ended").first().waitFor();
  const painted = await page.evaluate(() => globalThis.painted);
  reader.close();
  await browser.leave(page);
  const rest = (all) => all.slice(WARM_WORDS);
  return {
    sessions: SESSIONS,
    painted_ms: quantiles(rest(painted)),
    read_by_a_bare_socket_ms: quantiles(rest(reader.delays)),
    server: await server.ask("load"),
  };
}

/** In the page: each stamp once, when the frame that shows it was made. */
function watchWords() {
  globalThis.painted = [];
  const seen = new Set();
  const log = document.querySelector("[role=log]") ?? document.body;
  let asked = false;
  const look = () => {
    asked = false;
    const fresh = [];
    for (const [, stamp] of (log.textContent ?? "").matchAll(/t(\d{13}\.\d)/g)) {
      if (seen.has(stamp)) continue;
      seen.add(stamp);
      fresh.push(Number(stamp));
    }
    // A message after the frame's callbacks comes when it has been painted.
    const channel = new MessageChannel();
    channel.port1.addEventListener("message", () => {
      const now = performance.timeOrigin + performance.now();
      for (const stamp of fresh) globalThis.painted.push(now - stamp);
      channel.port1.close();
    });
    channel.port1.start();
    channel.port2.postMessage(undefined);
  };
  new MutationObserver(() => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(look);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

async function bareReader(url, id) {
  const delays = [];
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${BENCH_TOKEN}` },
  });
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  socket.on("message", (data) => take(delays, data));
  socket.send('{"type":"hello","protocol":"1.0"}');
  socket.send(JSON.stringify({ type: "subscribe", session_id: id }));
  return { delays, close: () => socket.close() };
}

function take(delays, data) {
  const now = performance.timeOrigin + performance.now();
  const text = data.toString();
  if (!text.includes("delta")) return;
  for (const [, stamp] of text.matchAll(STAMP)) delays.push(now - Number(stamp));
}
