// (d) One stream to a thousand watchers, against a bare `ws` server that broadcasts the same frames to as many clients.
import { WebSocket } from "ws";
import {
  BENCH_TOKEN,
  benchPlace,
  BROADCAST,
  median,
  SERVER,
  serverEnvironment,
  SIM,
  startAsked,
  startChild,
} from "./children.mjs";
import { sized } from "./size.mjs";

const WATCHERS = sized(1_000, 2);
const TOKENS = sized(300, 2);
const ROUNDS = sized(3, 1);

export async function fanoutBench() {
  const place = await benchPlace();
  const sim = await startChild([SIM]);
  const server = await startAsked([SERVER, place.home, place.workspace], serverEnvironment(sim.url));
  const control = await startAsked([BROADCAST]);
  try {
    const ours = await watchers(`${server.url.replace("http", "ws")}/api/ws`, true);
    const bare = await watchers(control.url.replace("http", "ws"), false);
    const driver = ours[0];
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const frames = await ourRound(server, ours, driver, round);
      rounds.push({ ours: frames.measured, bare: await bareRound(control, bare, frames.texts) });
    }
    for (const { socket } of [...ours, ...bare]) socket.close();
    const perDelivery = (side) => median(rounds.map((round) => (round[side].cpu_ms * 1_000) / round[side].deliveries));
    const rate = (side) => median(rounds.map((round) => round[side].deliveries / (round[side].ms / 1_000)));
    return {
      watchers: WATCHERS,
      frames: rounds[0].ours.deliveries / WATCHERS,
      deliveries_a_second: {
        sallyport: Math.round(rate("ours")),
        bare_ws: Math.round(rate("bare")),
        ratio: rate("ours") / rate("bare"),
      },
      server_cpu_us_per_delivery: {
        sallyport: perDelivery("ours"),
        bare_ws: perDelivery("bare"),
        ratio: perDelivery("bare") / perDelivery("ours"),
      },
    };
  } finally {
    await control.stop();
    await server.stop();
    await sim.stop();
    await place.remove();
  }
}

async function watchers(url, greet) {
  const all = [];
  for (let index = 0; index < WATCHERS; index += 1) {
    const socket = new WebSocket(url, greet ? { headers: { authorization: `Bearer ${BENCH_TOKEN}` } } : {});
    const watcher = { socket, seen: 0, first: 0, last: 0, until: undefined, texts: undefined, done: () => undefined };
    socket.on("message", (data) => take(watcher, data));
    await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
    if (greet) {
      const welcome = new Promise((resolve) => (watcher.done = resolve));
      watcher.until = "welcome";
      socket.send('{"type":"hello","protocol":"1.0"}');
      await welcome;
    }
    all.push(watcher);
  }
  return all;
}

/** Counts without parsing: only the frame that ends the wait is looked for. */
function take(watcher, data) {
  watcher.seen += 1;
  const now = performance.now();
  if (watcher.first === 0) watcher.first = now;
  watcher.last = now;
  if (watcher.texts !== undefined) watcher.texts.push(data.toString());
  if (watcher.until !== undefined && data.includes(`"${watcher.until}"`)) watcher.done(data);
}

function reset(all, until) {
  return all.map((watcher) => {
    Object.assign(watcher, { seen: 0, first: 0, last: 0, until, texts: undefined });
    return new Promise((resolve) => (watcher.done = resolve));
  });
}

function measured(all, cpu_ms) {
  const ms = Math.max(...all.map(({ last }) => last)) - Math.min(...all.map(({ first }) => first));
  return { deliveries: all.reduce((sum, { seen }) => sum + seen, 0), ms, cpu_ms };
}

async function ourRound(server, all, driver, round) {
  const [created] = reset([driver], "receipt");
  driver.socket.send(JSON.stringify({ type: "create", command_id: `create-${round}`, session: {} }));
  const { result } = JSON.parse(await created);
  const ready = reset(all, "session.updated");
  for (const { socket } of all) socket.send(JSON.stringify({ type: "subscribe", session_id: result.id }));
  await Promise.all(ready);
  const ended = reset(all, "turn.completed");
  driver.texts = [];
  await server.ask("reset");
  const text = `sim: ${JSON.stringify([{ stream: { tokens: TOKENS, per_second: 1_000 } }])}`;
  all[1].socket.send(
    JSON.stringify({ type: "prompt", command_id: `prompt-${round}`, session_id: result.id, prompt: { text } }),
  );
  await Promise.all(ended);
  const { cpu_ms } = await server.ask("load");
  const texts = driver.texts;
  const outcome = measured(all, cpu_ms);
  const left = reset(all, "unsubscribed");
  for (const { socket } of all) socket.send(JSON.stringify({ type: "unsubscribe", session_id: result.id }));
  await Promise.all(left);
  return { measured: outcome, texts };
}

async function bareRound(control, all, texts) {
  const ended = reset(all, "turn.completed");
  await control.ask("reset");
  await control.ask({ frames: texts.map((text) => [text]) });
  await Promise.all(ended);
  const { cpu_ms } = await control.ask("load");
  return measured(all, cpu_ms);
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await fanoutBench(), null, 2));
