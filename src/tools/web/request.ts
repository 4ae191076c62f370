import { request as requestHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { LIMITS } from "../../protocol/index.ts";
import { reasonOf, type ToolRefusal } from "../refusal.ts";
import type { IpAddress } from "../../network/index.ts";

export interface WebPage {
  readonly status: number;
  readonly statusText: string;
  readonly location: string | undefined;
  readonly contentType: string;
  readonly body: Buffer;
  /** The page was longer than the limit. */
  readonly cut: boolean;
}

/** One GET to a given address, with bounds on time and size. */
export async function getPage(url: URL, address: IpAddress, signal: AbortSignal): Promise<WebPage | ToolRefusal> {
  try {
    const response = await begin(url, address, signal);
    const { body, cut } = await readBody(response);
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? "",
      location: response.headers.location,
      contentType: response.headers["content-type"] ?? "",
      body,
      cut,
    };
  } catch (error) {
    return { refused: `${url.href} could not be fetched: ${reasonOf(error)}` };
  }
}

function begin(url: URL, address: IpAddress, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    signal,
    agent: false,
    headers: { accept: "text/html, text/*, application/json;q=0.9, */*;q=0.5", "user-agent": "sallyport" },
    // The address was checked before; the name is not resolved again.
    lookup: (_host, wanted, answer) =>
      wanted.all === true ? answer(null, [address]) : answer(null, address.address, address.family),
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options, resolve);
    request.on("error", reject);
    request.end();
  });
}

async function readBody(response: IncomingMessage): Promise<{ readonly body: Buffer; readonly cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of unpacked(response) as AsyncIterable<Buffer>) {
    const room = LIMITS.webFetchBytes - size;
    chunks.push(chunk.subarray(0, room));
    size += chunk.length;
    if (chunk.length <= room) continue;
    // Leaving the loop destroys the unpacked stream; the response below it must end too.
    response.destroy();
    return { body: Buffer.concat(chunks), cut: true };
  }
  return { body: Buffer.concat(chunks), cut: false };
}

function unpacked(response: IncomingMessage): AsyncIterable<unknown> {
  const decoder = decoderFor(response.headers["content-encoding"]);
  // An error reaches the reader of the decoder.
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined);
}

function decoderFor(encoding: string | undefined): ReturnType<typeof createGunzip> | undefined {
  switch (encoding?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "br":
      return createBrotliDecompress();
    case "deflate":
      return createInflate();
    default:
      return undefined;
  }
}
