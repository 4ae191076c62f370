import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { openCollector } from "./collector.ts";
import { completed, exchangeOf, journal, openStand, play, spanCounts, started, toolItem } from "./fixture.ts";
import { until } from "../support/until.ts";

describe("what is open", () => {
  it("is bounded; what there is no room for is counted", async () => {
    await using collector = await openCollector();
    const stand = await openStand({ endpoint: collector.url });
    for (let n = 0; n < LIMITS.openSpans + 5; n += 1) {
      play(stand, [journal(`ses_${n}`)(0, started(`turn_${n}`))]);
    }
    expect(await spanCounts(stand)).toMatchObject({ 'sallyport_trace_spans_total{outcome="dropped"}': 5 });
    expect(stand.told).toEqual([
      {
        level: "warn",
        fields: { dropped: 1 },
        message: "too many spans are open or wait to be sent; some are dropped",
      },
    ]);
    // All end at once, and the queue is shorter than that.
    await stand.telemetry.close();
    const dropped = 5 + LIMITS.openSpans - LIMITS.traceQueueSpans;
    expect(await spanCounts(stand)).toMatchObject({ 'sallyport_trace_spans_total{outcome="dropped"}': dropped });
  });

  it("leaks nothing: the end of a turn ends its tools, and there is room for as many again", async () => {
    await using collector = await openCollector();
    const stand = await openStand({ endpoint: collector.url });
    for (let n = 0; n < 100; n += 1) {
      const line = journal();
      play(stand, [
        line(0, started(`turn_${n}`)),
        line(1, { type: "item.started", item: toolItem("item_1") }),
        line(1, { type: "item.started", item: toolItem("item_1") }),
        line(1, { type: "item.started", item: toolItem("item_2") }),
        line(2, { type: "item.completed", item: toolItem("item_2", { status: "completed" }) }),
        line(2, { type: "item.completed", item: toolItem("item_2", { status: "completed" }) }),
        // Every other turn is never told to end; the next one of its session takes its place.
        ...(n % 2 === 0 ? [line(3, completed(`turn_${n}`))] : []),
      ]);
    }
    play(stand, [journal()(4, completed("turn_99"))]);
    for (let n = 0; n < LIMITS.openSpans; n += 1) play(stand, [journal(`ses_new_${n}`)(5, started(`turn_new_${n}`))]);
    const dropped = 'sallyport_trace_spans_total{outcome="dropped"}';
    expect(await spanCounts(stand)).toMatchObject({ [dropped]: 0 });
    play(stand, [journal("ses_last")(6, started("turn_last"))]);
    expect(await spanCounts(stand)).toMatchObject({ [dropped]: 1 });
    await stand.telemetry.close();
  });
});

describe("a collector in trouble", () => {
  it("disturbs nobody, and the operator is told once a minute", async () => {
    await using collector = await openCollector();
    collector.answer = 400;
    const stand = await openStand({ endpoint: collector.url });
    let sent = 0;
    const fail = async (): Promise<void> => {
      for (let n = 0; n < LIMITS.traceBatchSpans; n += 1) stand.telemetry.exchange(exchangeOf());
      sent += LIMITS.traceBatchSpans;
      await until(async () => {
        const counts = await spanCounts(stand);
        return counts['sallyport_trace_spans_total{outcome="failed"}'] === sent;
      });
    };
    await fail();
    await fail();
    await fail();
    stand.now += LIMITS.complaintMs;
    await fail();
    await stand.telemetry.close();
    const message = "traces could not be sent; is the collector running, and does it speak OTLP over HTTP?";
    const fields = { collector: collector.url, spans: LIMITS.traceBatchSpans, error: "Bad Request" };
    expect(stand.told).toEqual([
      { level: "warn", fields, message },
      { level: "warn", fields: { ...fields, not_told: 2 }, message },
    ]);
  });

  it("cannot hold up the end", async () => {
    await using collector = await openCollector();
    collector.answer = "hang";
    const stand = await openStand({ endpoint: collector.url });
    stand.telemetry.exchange(exchangeOf());
    // The collector never answers: this resolves only because it is not waited for.
    await stand.telemetry.close();
    expect(stand.told.map(({ fields }) => fields)).toEqual([
      { collector: collector.url, spans: 1, error: "no answer before the end" },
    ]);
    // What comes after the end is nobody's business.
    play(stand, [journal()(0, started("turn_9"))]);
    stand.telemetry.exchange(exchangeOf());
    await stand.telemetry.close();
  });
});

it.each(["", "collector:4318", "file:///etc/passwd", "not an address"])("refuses the endpoint %j", async (endpoint) => {
  await expect(openStand({ endpoint })).rejects.toMatchObject({ name: "Failure", code: "invalid_request" });
});

it("registers nothing that an embedding program would see, and opens no port", async () => {
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const ports = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;
  await using collector = await openCollector();
  const before = [listeners(), ports()];
  const stand = await openStand({ endpoint: collector.url });
  stand.telemetry.exchange(exchangeOf());
  await stand.telemetry.metrics();
  expect([listeners(), ports()]).toEqual(before);
  const globals = [...Object.getOwnPropertySymbols(globalThis), ...Object.getOwnPropertyNames(globalThis)];
  expect(globals.map(String).filter((name) => /telemetry/i.test(name))).toEqual([]);
  await stand.telemetry.close();
});

it("loads nothing for traces where there are none, and keeps no process alive", () => {
  const child = spawnSync(process.execPath, [resolve(import.meta.dirname, "no-traces-child.mjs")], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect([child.stdout, child.stderr, child.status]).toEqual(["counted, 0 modules\n", "", 0]);
});
