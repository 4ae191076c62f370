import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { MountClient } from "../../src/client/index.ts";

const ABSENCE_MS = 1_000;
const PIECE = new TextEncoder().encode("piece\n");

/** A server of files that sends a piece and stays silent, until it is killed. */
class SilentServer {
  readonly #server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write(PIECE);
    this.#open.add(response);
  });
  readonly #open = new Set<ServerResponse>();

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(port, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async kill(): Promise<void> {
    for (const response of this.#open) response.destroy();
    await new Promise((resolve) => void this.#server.close(resolve));
  }
}

it("a reader of a server that does not come back fails in its time", { timeout: 30_000 }, async () => {
  const server = new SilentServer();
  const url = `http://127.0.0.1:${await server.listen()}`;
  const mount = new MountClient({ url, token: "sp_any", absenceMs: ABSENCE_MS });
  const pieces = mount.follow("/claude/sessions/one/output")[Symbol.asyncIterator]();
  expect((await pieces.next()).value).toEqual(PIECE);
  await server.kill();
  await expect(pieces.next()).rejects.toThrow("fetch failed");
});

it("a reader goes on at a server that comes back, as often as it does", { timeout: 30_000 }, async () => {
  let server = new SilentServer();
  const port = await server.listen();
  const mount = new MountClient({ url: `http://127.0.0.1:${port}`, token: "sp_any", absenceMs: 10_000 });
  const pieces = mount.follow("/claude/sessions/one/output")[Symbol.asyncIterator]();
  expect((await pieces.next()).value).toEqual(PIECE);
  for (let round = 0; round < 3; round += 1) {
    const next = pieces.next();
    await server.kill();
    server = new SilentServer();
    await server.listen(port);
    expect((await next).value).toEqual(PIECE);
  }
  await pieces.return(undefined);
  await server.kill();
});
