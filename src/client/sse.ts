/** The `data` of each event of a server-sent event stream. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      rest += decoder.decode(chunk.value, { stream: true });
      let end = rest.indexOf("\n\n");
      while (end !== -1) {
        const data = dataOf(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (data !== undefined) yield data;
        end = rest.indexOf("\n\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Absent for a comment, such as a heartbeat. */
function dataOf(event: string): string | undefined {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).trimStart()).join("\n");
}
