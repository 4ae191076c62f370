import { checkBytes, READ_BOUNDS, ReadError } from "./error.ts";
import { boundedBlob } from "./parse.ts";

export interface FetchOptions {
  /** The page's address: relative ones are of it, and others of its origin are allowed. */
  readonly base: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((share: number) => void) | undefined;
}

/** Gets a file of the page's own origin. Throws a ReadError, or what the signal was aborted with. */
export async function fetchFile(
  url: string,
  options: FetchOptions,
): Promise<{ readonly name: string; readonly blob: Blob }> {
  const address = allowedUrl(url, options.base);
  const response = await get(address, options);
  if (!response.ok) {
    await response.body?.cancel();
    throw new ReadError(
      "not_found",
      `${address.pathname} cannot be had: the server answers ${response.status}. Check the address.`,
    );
  }
  const total = Number(response.headers.get("content-length") ?? "0");
  checkBytes(total, READ_BOUNDS.fileBytes, "The data");
  if (response.body === null) throw new ReadError("bad_format", `${address.pathname} is empty: check the address.`);
  const blob = await boundedBlob(response.body, (bytes) => {
    if (total > 0) options.progress?.(Math.min(1, bytes / total));
  });
  return { name: nameOf(address, response.headers.get("content-type") ?? ""), blob };
}

async function get(address: URL, { fetch, signal }: FetchOptions): Promise<Response> {
  try {
    // Same origin also for where it is sent on to.
    return await fetch(address.href, { credentials: "same-origin", mode: "same-origin", signal: signal ?? null });
  } catch (error) {
    signal?.throwIfAborted();
    throw new ReadError(
      "not_found",
      `${address.pathname} cannot be had: ${error instanceof Error ? error.message : "no connection"}.`,
    );
  }
}

function allowedUrl(url: string, base: string): URL {
  let address: URL;
  try {
    address = new URL(url, base);
  } catch {
    throw new ReadError("not_allowed", `"${url}" is not an address.`);
  }
  const own = new URL(base).origin;
  if (address.origin !== own || address.username !== "" || address.password !== "")
    throw new ReadError(
      "not_allowed",
      `Only data of ${own} can be opened by address. Download the file from ${address.host || address.protocol} and drop it here.`,
    );
  return address;
}

/** By the path; where that tells no kind, by the content type. */
function nameOf(address: URL, contentType: string): string {
  const last = decode(address.pathname.split("/").at(-1) ?? "");
  if (/\.[a-z]+$/i.test(last)) return last;
  const kind = /csv|tab-separated|ndjson|json|parquet/.exec(contentType)?.[0];
  const extension = kind === "tab-separated" ? "tsv" : kind;
  const name = last === "" ? "data" : last;
  return extension === undefined ? name : `${name}.${extension}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
