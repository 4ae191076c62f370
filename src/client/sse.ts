/** One event of a server-sent event stream. */
interface SseEvent {
  /** Absent: it has none. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Each event of a server-sent event stream; comments, such as heartbeats, are skipped. */
export async function* readSseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      rest += decoder.decode(chunk.value, { stream: true });
      let end = rest.indexOf("\n\n");
      while (end !== -1) {
        const event = eventOf(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (event !== undefined) yield event;
        end = rest.indexOf("\n\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The `data` of each event of a server-sent event stream. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const { data } of readSseEvents(body)) yield data;
}

/** Absent for a comment. */
function eventOf(event: string): SseEvent | undefined {
  const lines = event.split("\n");
  const data = lines.filter((line) => line.startsWith("data:"));
  if (data.length === 0) return undefined;
  return {
    id: lines
      .find((line) => line.startsWith("id:"))
      ?.slice(3)
      .trim(),
    data: data.map((line) => line.slice(5).trimStart()).join("\n"),
  };
}
