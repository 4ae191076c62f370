import { request } from "node:http";
import { MIND_MODEL } from "./mind.ts";

/** How the model proxy answers a request for a message with a key. `where`: its socket, or its port. */
export function askProxy(
  where: { readonly socketPath: string } | { readonly port: number },
  key: string,
): Promise<number> {
  const body = JSON.stringify({ model: MIND_MODEL, max_tokens: 10, messages: [{ role: "user", content: "Hello." }] });
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: "127.0.0.1",
        ...where,
        path: "/v1/messages",
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "anthropic-version": "2023-06-01",
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    asking.once("error", reject);
    asking.end(body);
  });
}
