import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  type IdGenerator,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import type { Tracer } from "@opentelemetry/api";
import { Failure, LIMITS } from "../protocol/index.ts";
import { wordsOf, type Complain } from "./log.ts";
import { within } from "./within.ts";

/** Counts of ended spans. */
export interface SpanCounts {
  readonly exported: number;
  readonly failed: number;
  readonly dropped: number;
}

export interface SpanExportOptions {
  readonly version: string;
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when spans could not be sent, or there was no room for them. */
  readonly complain: Complain;
}

/** OpenTelemetry's code for a success. */
const SENT = 0;

/** Ids of spans: those chosen for the next one, else random ones. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  chosen: { readonly traceId: string; readonly spanId: string } | undefined;

  generateTraceId(): string {
    return this.chosen?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.chosen?.spanId ?? this.#random.generateSpanId();
  }
}

/** Sends spans to a collector in batches, without affecting anything else. Registers nothing globally. */
export class SpanExport {
  readonly ids = new Ids();
  readonly tracer: Tracer;
  readonly #exporter: OTLPTraceExporter;
  readonly #batches: BatchSpanProcessor;
  readonly #origin: string;
  readonly #complain: Complain;
  readonly #counts = { exported: 0, failed: 0, dropped: 0 };
  /** Functions that each give up one batch under way. */
  readonly #onTheirWay = new Set<(error: Error) => void>();
  /** Ended, and neither exported nor failed yet. */
  #waiting = 0;

  constructor(options: SpanExportOptions) {
    const url = tracesUrl(options.endpoint);
    this.#origin = new URL(url).origin;
    this.#complain = options.complain;
    this.#exporter = new OTLPTraceExporter({
      url,
      headers: { ...options.headers },
      timeoutMillis: LIMITS.traceExportMs,
    });
    this.#batches = new BatchSpanProcessor(
      { export: (spans, answer) => this.#send(spans, answer), shutdown: () => this.#exporter.shutdown() },
      {
        maxQueueSize: LIMITS.traceQueueSpans,
        maxExportBatchSize: LIMITS.traceBatchSpans,
        scheduledDelayMillis: LIMITS.traceDelayMs,
        // `#send` answers earlier: the library reports a timeout to a process-wide handler.
        exportTimeoutMillis: LIMITS.traceExportMs * 3,
      },
    );
    this.tracer = new BasicTracerProvider({
      resource: resourceFromAttributes({ "service.name": "sallyport", "service.version": options.version }),
      sampler: new AlwaysOnSampler(),
      idGenerator: this.ids,
      spanLimits: { attributeValueLengthLimit: LIMITS.spanTextChars },
      spanProcessors: [
        {
          onStart: () => undefined,
          onEnd: (span) => this.#ended(span),
          forceFlush: () => this.#batches.forceFlush(),
          shutdown: () => this.#batches.shutdown(),
        },
      ],
    }).getTracer("sallyport", options.version);
  }

  get counts(): SpanCounts {
    return this.#counts;
  }

  /** A span without room, here or at its source. */
  drop(): void {
    this.#counts.dropped += 1;
    this.#complain({ dropped: this.#counts.dropped }, "too many spans are open or wait to be sent; some are dropped");
  }

  /** Sends what waits; gives up after a while. */
  async close(): Promise<void> {
    await within(LIMITS.telemetryCloseMs, this.#batches.shutdown());
    for (const giveUp of this.#onTheirWay) giveUp(new Error("no answer before the end"));
  }

  #ended(span: ReadableSpan): void {
    if (this.#waiting >= LIMITS.traceQueueSpans) return this.drop();
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  #send(spans: ReadableSpan[], answer: Parameters<SpanExporter["export"]>[1]): void {
    const end = (error: unknown): void => {
      if (!this.#onTheirWay.delete(end)) return;
      clearTimeout(timer);
      this.#waiting -= spans.length;
      if (error === undefined) this.#counts.exported += spans.length;
      else this.#failed(spans.length, error);
      // The batch is finished either way.
      answer({ code: SENT });
    };
    this.#onTheirWay.add(end);
    const timer = setTimeout(() => end(new Error("no answer in time")), LIMITS.traceExportMs * 2);
    try {
      this.#exporter.export(spans, (result: { readonly code: number; readonly error?: Error }) =>
        end(result.code === SENT ? undefined : (result.error ?? new Error("refused"))),
      );
    } catch (error) {
      end(error);
    }
  }

  #failed(spans: number, error: unknown): void {
    this.#counts.failed += spans;
    this.#complain(
      { collector: this.#origin, spans, error: wordsOf(error) },
      "traces could not be sent; is the collector running, and does it speak OTLP over HTTP?",
    );
  }
}

/** `http://collector:4318` or with the path `/v1/traces`. */
function tracesUrl(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Failure(
      "invalid_request",
      "the address for traces must begin with http:// or https://, such as http://127.0.0.1:4318",
    );
  }
  if (!url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}
