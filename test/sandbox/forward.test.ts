import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openPort } from "../../src/sandbox/remote/forward.ts";

it("a request to a socket comes back as it was answered, and an answer that breaks off breaks off", async () => {
  const folder = await mkdtemp(join(tmpdir(), "forward-"));
  const socketPath = join(folder, "model");
  const model = createServer((asked, answer) => {
    answer.writeHead(418, { "x-seen": `${asked.method} ${asked.url} ${String(asked.headers["x-api-key"])}` });
    answer.write("half");
    if (asked.url === "/cut") setImmediate(() => answer.destroy());
    else asked.pipe(answer);
  });
  await new Promise<void>((resolve) => model.listen(socketPath, resolve));
  const { port, server } = await openPort({ port: 0, socket: socketPath });
  const ask = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = {
        port,
        path,
        method: "POST",
        headers: { "x-api-key": "k" },
      };
      const asking = request(options, (response) => {
        let text = `${response.statusCode} ${String(response.headers["x-seen"])}: `;
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.once("end", () => resolve(text));
        response.once("error", reject);
      });
      asking.once("error", reject);
      asking.end(" and half");
    });
  try {
    expect(await ask("/v1/messages")).toBe("418 POST /v1/messages k: half and half");
    await expect(ask("/cut")).rejects.toThrow();
  } finally {
    server.close();
    model.close();
    await rm(folder, { recursive: true, force: true });
  }
});
