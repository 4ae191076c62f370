import { LIMITS, type JournalEvent, type Redactor, type Log } from "../protocol/index.ts";
import type { Exchange } from "../proxy/index.ts";
import type { SessionLabels } from "./labels.ts";
import { sparingly, wordsOf } from "./log.ts";
import { Metrics, type CountedRequest } from "./metrics.ts";
import { openProcessReadings } from "./process.ts";
import { readingsText, type Readings } from "./readings.ts";
import type { SpanCounts } from "./span-export.ts";
import { readingText } from "./tally.ts";
import type { Traces, TracesOptions } from "./traces.ts";
import { within } from "./within.ts";

export interface TelemetryOptions {
  readonly version: string;
  /** Where traces go, OTLP over HTTP: `http://127.0.0.1:4318`. Absent: there are no traces. */
  readonly endpoint?: string | undefined;
  /** For the collector, such as its key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly now: () => number;
  readonly log: Pick<Log, "info" | "warn">;
  readonly redact: Redactor;
}

/** Observes and counts. No error in here reaches its callers. */
export interface Telemetry {
  /** One model request has been settled. */
  exchange(exchange: Exchange): void;
  /** One event is on the disk. */
  event(event: JournalEvent, session: SessionLabels): void;
  /** One HTTP request has been answered. */
  httpRequest(request: CountedRequest): void;
  /** A connection out of a sandbox was not made. */
  egressRefusal(reason: string): void;
  /** Writes reached the disk together, after this many seconds. */
  commit(seconds: number): void;
  /** Sets the source of the server's numbers, read at each scrape; a later call replaces an earlier one. */
  gauges(read: () => Readings | Promise<Readings>): void;
  /** Everything in Prometheus format: `text/plain; version=0.0.4; charset=utf-8`. */
  metrics(): Promise<string>;
  /** Sends the traces that wait; gives up after a while. */
  close(): Promise<void>;
}

/** A Failure when the endpoint is not an address. The trace libraries are loaded only if there are traces. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { now, redact, endpoint } = options;
  const complain = sparingly(options.log, now);
  const traces =
    endpoint === undefined
      ? undefined
      : await openTraces({
          version: options.version,
          endpoint,
          headers: options.headers ?? {},
          now,
          redact,
          complain,
        });
  const metrics = new Metrics(redact);
  const usage = openProcessReadings(now);
  let read: (() => Readings | Promise<Readings>) | undefined;
  const quietly = (look: () => void): void => {
    try {
      look();
    } catch (error) {
      complain({ error: wordsOf(error) }, "something could not be counted");
    }
  };
  const readings = async (): Promise<string> => {
    if (read === undefined) return "";
    const found = await within(LIMITS.metricReadingsMs, Promise.resolve().then(read));
    if (found === undefined) complain({}, "the numbers of the server could not be read, or not in time");
    return found === undefined ? "" : readingsText(found);
  };
  return {
    exchange: (exchange) =>
      quietly(() => {
        metrics.exchange(exchange);
        traces?.exchange(exchange);
      }),
    egressRefusal: (reason) => quietly(() => metrics.egressRefusal(reason)),
    event: (event, session) =>
      quietly(() => {
        metrics.event(event, session.engine);
        traces?.event(event, session);
      }),
    httpRequest: (request) => quietly(() => metrics.httpRequest(request)),
    commit: (seconds) => quietly(() => metrics.commit(seconds)),
    gauges: (reader) => {
      read = reader;
    },
    metrics: async () => {
      const numbers = await readings();
      return versionText(options.version) + metrics.text() + numbers + spansText(traces?.counts) + usage.text();
    },
    close: async () => {
      usage.close();
      await traces?.close();
    },
  };
}

async function openTraces(options: TracesOptions): Promise<Traces> {
  const { Traces } = await import("./traces.ts");
  return new Traces(options);
}

function versionText(version: string): string {
  const family = { name: "sallyport_build_info", help: "The version that runs.", type: "gauge" as const };
  return readingText(family, [[{ version }, 1]]);
}

function spansText(counts: SpanCounts | undefined): string {
  if (counts === undefined) return "";
  const family = {
    name: "sallyport_trace_spans_total",
    help: "Spans by what became of them.",
    type: "counter" as const,
  };
  return readingText(
    family,
    Object.entries(counts).map(([outcome, count]: [string, number]) => [{ outcome }, count]),
  );
}
