import { z } from "zod";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { parseLayout, type SavedLayout } from "./layout.ts";

/** The source of a table that everybody can open: a sample, or a file of this server. */
const tableSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("sample"), id: z.string().max(100) }),
  z.strictObject({ kind: z.literal("address"), address: z.string().max(2_000) }),
]);
export type TableSource = z.infer<typeof tableSource>;

export interface LinkedTable {
  readonly source: TableSource;
  readonly layout: SavedLayout;
}

const NAME = "table";

/** The part of a link after its `#`: the table's source, and its layout. No rows. Throws an error for people if it would be too long. */
export async function linkHash({ source, layout }: LinkedTable): Promise<string> {
  const text = JSON.stringify({ source, layout: JSON.stringify(layout) });
  const packed = await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  const hash = `${NAME}=${base64Url(packed)}`;
  if (hash.length > WORKBENCH_LIMITS.linkCharacters)
    throw new Error("This layout is too large for a link: save it to a file instead.");
  return hash;
}

/** What a link opens. Undefined: it opens nothing. Throws words where it is damaged. */
export async function readLink(hash: string): Promise<LinkedTable | undefined> {
  const packed = new URLSearchParams(hash.replace(/^#/, "")).get(NAME);
  if (packed === null) return undefined;
  if (packed.length > WORKBENCH_LIMITS.linkCharacters) throw new Error("This link is too long.");
  let read: unknown;
  try {
    const stream = new Blob([fromBase64Url(packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    read = JSON.parse(new TextDecoder().decode(await bytesOf(stream, WORKBENCH_LIMITS.layoutCharacters * 4)));
  } catch {
    throw new Error("This link is damaged: ask for it again.");
  }
  const link = z.strictObject({ source: tableSource, layout: z.string() }).safeParse(read);
  if (!link.success) throw new Error("This link is damaged: ask for it again.");
  return { source: link.data.source, layout: parseLayout(link.data.layout) };
}

/** All bytes of a stream. Throws where there are more than allowed: packed text can be far longer than it looks. */
async function bytesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    bytes += value.length;
    if (bytes > most) {
      await reader.cancel();
      throw new Error("too long");
    }
    parts.push(value);
  }
}

function base64Url(bytes: Uint8Array): string {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
