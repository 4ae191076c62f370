import type { HonoRequest } from "hono";
import { createMiddleware } from "hono/factory";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Guard } from "./guard.ts";
import { isMountPath } from "./routes/mount.ts";
import { isDelivery } from "./routes/triggers.ts";
import type { HttpEnvironment, SurfaceOptions } from "./surface.ts";

/** Memory for the bodies of open requests. What has arrived counts, not what was announced. */
class BodyRoom {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws a Failure if so many more bytes do not fit. */
  take(bytes: number): void {
    if (this.#used + bytes > this.#most)
      throw new Failure("rate_limited", "too much is being sent to this server at once; try again in a moment", {
        retry_after_s: LIMITS.bodiesRetryS,
      });
    this.#used += bytes;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}

/** Takes room for a body piece by piece; `close` gives all of it back. */
class BodyShare {
  readonly #room: BodyRoom;
  #taken = 0;

  constructor(room: BodyRoom) {
    this.#room = room;
  }

  take(bytes: number): void {
    this.#room.take(bytes);
    this.#taken += bytes;
  }

  close(): void {
    this.#room.giveBack(this.#taken);
    this.#taken = 0;
  }
}

/** A body of these requests is never read. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function hasBody(req: HonoRequest): boolean {
  if (req.method === "POST" || req.method === "PUT") return true;
  return req.header("content-length") !== undefined || req.header("transfer-encoding") !== undefined;
}

/** Bounds a body before anything parses it: its size, the size of all together, its type, and its depth. */
export function boundedBodies({ gateway }: Pick<SurfaceOptions, "gateway">, guard: Guard) {
  const ofCallers = new BodyRoom(LIMITS.bodiesBytes);
  const ofStrangers = new BodyRoom(LIMITS.webhookBodiesBytes);
  return createMiddleware<HttpEnvironment>(async ({ req, env }, next) => {
    if (BODILESS.has(req.method) || !hasBody(req)) return next();
    const isStranger = isDelivery(req);
    if (isStranger) {
      // Anybody can send here, so a body that no webhook could accept is not read.
      const id = req.path.slice(req.path.lastIndexOf("/") + 1);
      if (!gateway.webhooks.isExpected(id, req.header("webhook-timestamp") ?? ""))
        guard.checkDelivery(env.incoming, { id, isSigned: false });
    }
    const most = isStranger ? LIMITS.webhookBodyBytes : LIMITS.bodyBytes;
    const share = new BodyShare(isStranger ? ofStrangers : ofCallers);
    try {
      const length = req.header("content-length");
      if (length !== undefined && Number(length) > most) throw tooLarge(most);
      if (isStranger || length === undefined || Number(length) > LIMITS.bodyAnnouncedBytes)
        req.raw = await counted(req.raw, most, share);
      else share.take(Number(length));
      // The file decides what may be written into it.
      if (!isMountPath(req.path)) checkBody(req.header("content-type") ?? "", await req.text());
      await next();
    } finally {
      share.close();
    }
    return undefined;
  });
}

/** The same request with its body in memory. */
async function counted({ url, method, headers, body }: Request, most: number, share: BodyShare): Promise<Request> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    share.take(chunk.length);
    chunks.push(chunk);
  }
  return new Request(url, { method, headers, body: Buffer.concat(chunks) });
}

function tooLarge(most: number): Failure {
  return new Failure("payload_too_large", `a request may have ${most} bytes`);
}

function checkBody(type: string, text: string): void {
  if (text !== "" && !/^application\/json\b/i.test(type))
    throw new Failure("invalid_request", "send JSON with content-type: application/json");
  checkJson(text);
}

export function checkJson(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === 92) index += 1;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > LIMITS.jsonDepth) throw new Failure("invalid_request", `JSON may nest ${LIMITS.jsonDepth} deep`);
    } else if (code === 93 || code === 125) depth -= 1;
  }
}
