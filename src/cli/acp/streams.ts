import { Readable, type Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { LIMITS } from "../../protocol/index.ts";

/** Lines of JSON over a program's own streams. The output stays open: whoever gave it ends it. */
export function lineStream(input: Readable, output: Writable): Stream {
  const writable = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise<void>((resolve, reject) => {
        output.write(bytes, (error) => (error == null ? resolve() : reject(error)));
      }),
  });
  const readable = Readable.toWeb(input) as unknown as ReadableStream<Uint8Array>;
  return ndJsonStream(writable, readable, { maxMessageBytes: LIMITS.bodyBytes });
}
