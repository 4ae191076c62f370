import { LIMITS } from "../protocol/index.ts";
import { forwardedHeaders } from "./http/headers.ts";
import { countOf, parseFields } from "./meter/tally.ts";
import type { Credential } from "./providers.ts";
import type { Upstream } from "./http/upstream.ts";

/** The fields that count as input. The provider refuses any other here. */
const COUNTED = [
  "model",
  "system",
  "messages",
  "tools",
  "tool_choice",
  "thinking",
  "cache_control",
  "output_config",
] as const;
const PATH = "/v1/messages/count_tokens";

/** Asks the provider how many tokens a Messages request has. Undefined: no answer. This costs nothing. */
export async function countTokens(
  { pool, origin, prefix }: Upstream,
  asked: {
    /** JSON. */
    readonly body: Buffer | string;
    readonly rawHeaders: readonly string[];
    readonly credential: Credential | undefined;
    readonly signal: AbortSignal;
  },
): Promise<number | undefined> {
  const { body, rawHeaders, credential, signal } = asked;
  try {
    const whole = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
    const part = COUNTED.filter((name) => whole[name] !== undefined).map((name) => [name, whole[name]]);
    const answer = await pool.request({
      origin,
      method: "POST",
      path: prefix + PATH,
      headers: forwardedHeaders(rawHeaders, {
        connection: undefined,
        credential: credential?.headers("anthropic") ?? {},
      }),
      body: JSON.stringify(Object.fromEntries(part)),
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMITS.proxyCountMs)]),
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > LIMITS.proxyCountBytes) return undefined;
      pieces.push(piece);
    }
    return answer.statusCode === 200 ? countOf(parseFields(Buffer.concat(pieces))?.["input_tokens"]) : undefined;
  } catch {
    // The bound then stays as it is.
    return undefined;
  }
}
