import { Readable, type Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { boundedLines } from "./bounded-lines.ts";
import { requestError } from "./failures.ts";
import { headOf } from "./message-head.ts";

export interface LineStreamOptions {
  readonly input: Readable;
  /** Stays open: its owner closes it. */
  readonly output: Writable;
  /** For the log. */
  readonly complain: (words: string) => void;
}

/** Lines of JSON over a program's own streams. A too long message is refused, and the next one is read. */
export function lineStream({ input, output, complain }: LineStreamOptions): Stream {
  const write = (line: Uint8Array | string): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(line, (error) => (error == null ? resolve() : reject(error)));
    });
  const tooLong = async (start: Uint8Array): Promise<Uint8Array | undefined> => {
    complain(`a message of the editor has more than ${LIMITS.bodyBytes} bytes and was not read`);
    const { id, kind } = headOf(start);
    const refusal = `${JSON.stringify({ jsonrpc: "2.0", id, error: refused().toErrorResponse() })}\n`;
    // An answer to one of our own requests: the waiting caller gets the error.
    if (kind === "response") return Buffer.from(refusal);
    await write(refusal);
    return undefined;
  };
  const bytes = Readable.toWeb(input) as unknown as ReadableStream<Uint8Array>;
  const readable = bytes.pipeThrough(boundedLines({ maxBytes: LIMITS.bodyBytes, tooLong }));
  return ndJsonStream(new WritableStream<Uint8Array>({ write }), readable, { maxMessageBytes: LIMITS.bodyBytes });
}

function refused(): ReturnType<typeof requestError> {
  return requestError(
    new Failure(
      "payload_too_large",
      `a message may have ${LIMITS.bodyBytes} bytes; send less, or name a file instead of sending it`,
    ),
  );
}
