import type { openConnection as OpenConnection } from "./connection.ts";

/** Starts or reaches a server, and greets it. Loads the SDK for the first one: it is large, and most servers of ours reach none. */
export const openConnection: typeof OpenConnection = async (way, means, options) => {
  const connection = await import("./connection.ts");
  return connection.openConnection(way, means, options);
};
