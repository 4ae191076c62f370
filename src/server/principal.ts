import {
  CreateSession,
  CreateToken,
  Decision,
  Failure,
  firstAbort,
  LIMITS,
  SubmitPrompt,
  type FeedFrame,
  type StreamFrame,
} from "../protocol/index.ts";
import type { Caller, Gateway } from "../sessions/index.ts";
import type { z } from "zod";
import type { EmbeddedPrincipal, FrameOptions } from "./types.ts";

/** The token is looked up again at each call: one that was deleted or has expired ends here too. */
export function principalOf(gateway: Gateway, token: string, closed: AbortSignal): EmbeddedPrincipal {
  const caller = (): Promise<Caller> => gateway.tokens.authenticate(token);
  const { sessions, approvals } = gateway;
  return {
    sessions: {
      start: async (request, { idempotencyKey } = {}) =>
        sessions.create(await caller(), parsed(CreateSession, request), idempotencyKey),
      prompt: async (id, prompt, { idempotencyKey } = {}) =>
        sessions.prompt(await caller(), id, parsed(SubmitPrompt, prompt), idempotencyKey),
      get: async (id) => sessions.get(await caller(), id),
      interrupt: async (id) => sessions.interrupt(await caller(), id),
      close: async (id) => sessions.close(await caller(), id),
    },
    approvals: {
      pending: async () => {
        const page = await approvals.list(await caller(), { status: "pending", limit: LIMITS.pageSizeMax });
        return page.rows;
      },
      decide: async (id, decision) => approvals.decide(await caller(), id, parsed(Decision, decision)),
    },
    watch: (id, options = {}) => frames(gateway, { caller, id, options, closed }),
    feed: (options = {}) => feedFrames(gateway, { caller, options, closed }),
    createToken: async (request) => gateway.tokens.create(await caller(), parsed(CreateToken, request), undefined),
  };
}

/** The caller may be a JavaScript program: what it passes is checked as a request is. */
function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const told = result.error.issues
    .slice(0, LIMITS.mistakes)
    .map(({ path, message }) => `${path.length === 0 ? "the request" : path.join(".")}: ${message}`);
  throw new Failure("invalid_request", told.join("; "));
}

interface Watch {
  readonly caller: () => Promise<Caller>;
  readonly options: FrameOptions;
  readonly closed: AbortSignal;
}

/** Aborted when the program, the gateway or the token says so, or when nobody reads any more. */
async function* whileValid<Value>(
  gateway: Gateway,
  { caller, options: { signal }, closed }: Watch,
  open: (who: Caller, ended: AbortSignal) => AsyncIterable<Value> | Promise<AsyncIterable<Value>>,
): AsyncGenerator<Value> {
  const who = await caller();
  const left = new AbortController();
  const forget = gateway.tokens.whenGone(who, () => left.abort());
  const ended = firstAbort(left.signal, closed, ...(signal === undefined ? [] : [signal]));
  try {
    yield* await open(who, ended.signal);
  } finally {
    forget();
    left.abort();
    ended.release();
  }
}

async function* frames(gateway: Gateway, watch: Watch & { readonly id: string }): AsyncGenerator<StreamFrame> {
  const { id, options } = watch;
  const batches = whileValid(gateway, watch, (who, ended) =>
    gateway.sessions.watch(who, id, options.after ?? 0, ended),
  );
  for await (const batch of batches) for (const frame of batch) yield frame.value;
}

async function* feedFrames(gateway: Gateway, watch: Watch): AsyncGenerator<FeedFrame> {
  const decoder = new TextDecoder();
  const batches = whileValid(gateway, watch, (who, ended) => gateway.feed.open(who, ended));
  for await (const { lines } of batches)
    for (const { bytes } of lines) yield JSON.parse(decoder.decode(bytes)) as FeedFrame;
}
