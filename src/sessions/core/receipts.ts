import { createHash } from "node:crypto";
import { Failure } from "../../protocol/index.ts";
import type { ReceiptRow } from "../../store/index.ts";
import type { Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";

export interface IdempotentRequest {
  readonly caller: Caller;
  /** Absent: the command runs each time it is sent. */
  readonly key: string | undefined;
  /** The request, to tell a retry from a different request under the same key. */
  readonly question: unknown;
  /** How long the answer is remembered, milliseconds. Absent: as the settings say. */
  readonly keepMs?: number | undefined;
}

type ReceiptAnswer = Readonly<Record<string, unknown>>;

/** Makes a retried command return its first answer, for a time, also across a restart. */
export class Receipts {
  readonly #dependencies: Dependencies;
  readonly #inFlight = new Map<string, { readonly hash: string; readonly answer: Promise<ReceiptAnswer> }>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs `act` at most once per key. It gets the rows to commit with its answer. */
  async once<Result extends ReceiptAnswer>(
    request: IdempotentRequest,
    act: (receipts: (answer: Result) => readonly ReceiptRow[]) => Promise<Result>,
  ): Promise<Result> {
    const { caller, key } = request;
    if (key === undefined) return act(() => []);
    const hash = createHash("sha256").update(JSON.stringify(request.question)).digest("hex");
    const place = `${caller.id} ${key}`;
    const running = this.#inFlight.get(place);
    if (running !== undefined) return same(running.hash, hash, key) && ((await running.answer) as Result);
    const answer = this.#first(request, hash, act);
    this.#inFlight.set(place, { hash, answer });
    try {
      return await answer;
    } finally {
      this.#inFlight.delete(place);
    }
  }

  async #first<Result extends ReceiptAnswer>(
    request: IdempotentRequest & { readonly key?: string | undefined },
    hash: string,
    act: (receipts: (answer: Result) => readonly ReceiptRow[]) => Promise<Result>,
  ): Promise<Result> {
    const { caller } = request;
    const key = request.key ?? "";
    const now = this.#dependencies.clock.now();
    const known = await this.#dependencies.store.read.receipt({ principal_id: caller.id, key, now });
    if (known !== undefined) return same(known.request_hash, hash, key) && (JSON.parse(known.answer) as Result);
    return act((answer) => [
      {
        principal_id: caller.id,
        key,
        request_hash: hash,
        answer: JSON.stringify(answer),
        expires_at: now + (request.keepMs ?? this.#dependencies.bounds.idempotencyMs),
      },
    ]);
  }
}

function same(first: string, second: string, key: string): true {
  if (first !== second) {
    throw new Failure(
      "idempotency_mismatch",
      `the idempotency key ${JSON.stringify(key)} was used for another request; use a new one`,
    );
  }
  return true;
}
