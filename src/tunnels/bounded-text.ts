import { Failure } from "../protocol/index.ts";

/** A body as text; throws a Failure if it is longer. */
export async function boundedText(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > most) throw new Failure("payload_too_large", "the answer of a tunnel is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
