import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
interface KeyValue {
  readonly key: string;
  readonly value: Value;
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes: readonly KeyValue[];
  }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number; readonly message?: string };
}
interface Message {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly at: number; readonly attributes: object }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: number;
}

/** A collector of traces: OTLP over HTTP, as JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: SeenSpan[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"]; readonly body: string }[];
  readonly resources: Readonly<Record<string, unknown>>[];
  /** What it answers; `hang`: nothing. */
  answer: number | "hang";
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      collector.requests.push({ path: request.url ?? "", headers: request.headers, body });
      const { resourceSpans } = JSON.parse(body) as Message;
      for (const { resource, scopeSpans } of resourceSpans) {
        collector.resources.push(plain(resource.attributes));
        for (const { spans } of scopeSpans) collector.spans.push(...spans.map(seen));
      }
      if (collector.answer === "hang") return;
      response.writeHead(collector.answer, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    resources: [],
    answer: 200,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

function seen(span: WireSpan): SeenSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parent: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    start: milliseconds(span.startTimeUnixNano),
    end: milliseconds(span.endTimeUnixNano),
    attributes: plain(span.attributes),
    events: span.events.map((event) => ({
      name: event.name,
      at: milliseconds(event.timeUnixNano),
      attributes: plain(event.attributes),
    })),
    links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    status: span.status.code,
  };
}

function milliseconds(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}

function plain(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, unwrap(value)]));
}

function unwrap(value: Value): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(unwrap);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
