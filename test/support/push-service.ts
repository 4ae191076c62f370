import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from "node:crypto";
import { once } from "node:events";
import { writeFile, mkdir } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { PushMessage } from "../../src/protocol/index.ts";
import type { Place } from "./server.ts";

/** What a browser keeps of its subscription. */
export interface BrowserKeys {
  readonly ecdh: ECDH;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export function makeBrowserKeys(): BrowserKeys {
  const ecdh = createECDH("prime256v1");
  const p256dh = ecdh.generateKeys("base64url");
  return { ecdh, keys: { p256dh, auth: randomBytes(16).toString("base64url") } };
}

/** Reads a push message as a browser does (RFC 8291). Throws if it is for another one. */
export function decryptPush(body: Buffer, { ecdh, keys }: BrowserKeys): string {
  const salt = body.subarray(0, 16);
  const length = body.readUInt8(20);
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), sender]);
  const shared = hkdfSync("sha256", ecdh.computeSecret(sender), Buffer.from(keys.auth, "base64url"), info, 32);
  const derive = (name: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", Buffer.from(shared), salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes));
  const cipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  cipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service, or any other that is told, on this machine. */
export interface PushService {
  readonly url: string;
  readonly received: readonly ReceivedPost[];
  /** What it answers from now on; absent headers: none. */
  answer(status: number, headers?: Readonly<Record<string, string>>): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openPushService(): Promise<PushService> {
  const received: ReceivedPost[] = [];
  let [status, headers]: [number, Readonly<Record<string, string>>] = [201, {}];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status, headers).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next, more = {}) => {
      [status, headers] = [next, more];
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Lets notifications go to this machine, as an admin would for a service on the local network. */
export async function allowLoopback({ home }: Place): Promise<() => Promise<void>> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "sallyport.yaml"), 'notification_hosts: ["127.0.0.1"]\n', { mode: 0o600 });
  return () => Promise.resolve();
}

export function messageIn({ body }: ReceivedPost, browser: BrowserKeys): PushMessage {
  return JSON.parse(decryptPush(body, browser)) as PushMessage;
}
