const NEWLINE = 0x0a;
/** How much of a too long line is kept. */
const START_BYTES = 1_000;

export interface LineBounds {
  /** Without the line end. */
  readonly maxBytes: number;
  /** Called with the beginning of a longer line, at its end. The result replaces it; undefined: it is dropped. */
  readonly tooLong: (start: Uint8Array) => Promise<Uint8Array | undefined>;
}

/** Passes whole lines on. Of a too long line only the beginning is kept in memory. */
export function boundedLines({ maxBytes, tooLong }: LineBounds): TransformStream<Uint8Array, Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const add = (piece: Uint8Array): void => {
    const wasTooLong = size > maxBytes;
    size += piece.length;
    if (wasTooLong) return;
    pieces.push(piece);
    if (size > maxBytes) pieces = [Buffer.concat(pieces, Math.min(size, START_BYTES))];
  };
  const take = async (): Promise<Uint8Array | undefined> => {
    const whole = Buffer.concat(pieces);
    const line = size > maxBytes ? await tooLong(whole) : whole;
    [pieces, size] = [[], 0];
    return line;
  };
  return new TransformStream({
    async transform(chunk, lines) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        start = end + 1;
        const line = await take();
        if (line !== undefined) lines.enqueue(Buffer.concat([line, Buffer.from("\n")]));
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    async flush(lines) {
      const last = size === 0 ? undefined : await take();
      if (last !== undefined) lines.enqueue(last);
    },
  });
}
