import type { MountClientOptions } from "../../client/index.ts";
import type { ServerConnection } from "../connect.ts";

/** How a mount reaches its server, also after that has come back on another port or with another token. */
export function movingServer({ url, token, locate }: ServerConnection): MountClientOptions {
  if (locate === undefined) return { url, token };
  let current = { url, token };
  let isFirst = true;
  const look = async (): Promise<void> => {
    current = (await locate()) ?? current;
  };
  return {
    url,
    token: async () => {
      // Asked again: the last one is refused.
      if (!isFirst) await look();
      isFirst = false;
      return current.token;
    },
    fetch: async (input, init) => {
      const address = input instanceof Request ? input.url : input.toString();
      const send = (): Promise<Response> => fetch(`${current.url}${address.slice(url.length)}`, init);
      try {
        return await send();
      } catch (error) {
        // Only what surely did not arrive is sent again.
        if (!isRefused(error)) throw error;
        const before = current.url;
        await look();
        if (current.url === before) throw error;
        return send();
      }
    },
  };
}

function isRefused(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === "ECONNREFUSED";
}
