import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSimModel, type SimOptions } from "./model.ts";

export type SimPlace =
  | { readonly host?: string | undefined; /** 0 or absent: any free port. */ readonly port?: number | undefined }
  /** A unix socket. */
  | { readonly path: string };

export interface SimServer {
  /** `http://127.0.0.1:1234`, or `unix:` and the path of the socket. */
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Serves the scripted model. */
export async function startSim(place: SimPlace = {}, options: SimOptions = {}): Promise<SimServer> {
  const model = createSimModel(options);
  const server = createServer((request, response) => {
    void model.handle(request, response);
  });
  // Callers keep connections open between turns, while a person writes.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if ("path" in place) server.listen(place.path, resolve);
    else server.listen(place.port ?? 0, place.host ?? "127.0.0.1", resolve);
  });
  return {
    url: "path" in place ? `unix:${place.path}` : httpUrl(server.address() as AddressInfo),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function httpUrl(address: AddressInfo): string {
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
