import type { Dispatcher } from "undici";
import type { Charge } from "../ledger/index.ts";
import { Failure, LIMITS, type ErrorCode } from "../protocol/index.ts";
import type { Admitted } from "./admission.ts";
import { breakOff, sendRefusal } from "./http/answer.ts";
import type { ProxyCall } from "./call.ts";
import type { CallerResponse } from "./http/caller.ts";
import type { Awaited } from "./http/connection.ts";
import { chargeAll, chargeInTheEnd, chargeTold } from "./charge.ts";
import { forwardedHeaders, headerOf, returnedHeaders, secretsOf, withoutHeader } from "./http/headers.ts";
import type { ProxyState, WatchedWork } from "./state.ts";
import { Gather } from "./meter/gather.ts";
import { meterFor } from "./meter/choose.ts";
import type { Meter } from "./meter/meter.ts";
import { codeOfAnswer, isWorthAnother, retryAfterMs } from "./providers/answer.ts";
import type { Credential } from "./providers.ts";
import type { Exchange } from "./proxy.ts";
import { refusalOf } from "./refusals.ts";

/** `error`: the provider refuses, and its message is collected. `passing`: its answer goes to the caller as it arrives. */
type Phase = "waiting" | "error" | "passing" | "over";

/** How much of a reservation is charged: nothing, the reported usage plus the bound of the rest, or all of it. */
type Payment = "nothing" | "told" | "all";

interface RelayEnd {
  readonly outcome: Exchange["outcome"];
  readonly payment: Payment;
  readonly code?: ErrorCode | undefined;
}

/** A provider's refusal, as far as it has arrived. */
interface ProviderRefusal {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Gather;
}

/**
 * Forwards one request and its answer, and settles it on the way. Undici's handler in its plain form: it gets each piece
 * and the raw headers directly.
 */
export class Relay implements Dispatcher.DispatchHandler, Awaited, WatchedWork {
  readonly #state: ProxyState;
  readonly #call: ProxyCall;
  readonly #response: CallerResponse;
  #admitted: Admitted;
  #phase: Phase = "waiting";
  #credential: Credential | undefined = undefined;
  /** Undefined: the request is not yet on its way. Once it is, the provider may work on it. */
  #abort: ((reason?: Error) => void) | undefined = undefined;
  #resume: (() => void) | undefined = undefined;
  #meter: Meter | undefined = undefined;
  #isSettled = false;
  #hasBody = false;
  /** When the provider was last heard; in a stream of events: when it last ended a line. */
  #heardAt: number;
  #hasLines = false;
  readonly #startedAt: number;
  /** Since when the caller does not read; undefined: it reads. */
  #stalledAt: number | undefined = undefined;
  #refused: ProviderRefusal | undefined = undefined;
  /** Pieces of one tick, which are written together. */
  #pieces: Buffer[] = [];
  #isFlushing = false;

  constructor(call: ProxyCall, admitted: Admitted) {
    this.#call = call;
    this.#state = call.state;
    this.#response = call.response;
    this.#admitted = admitted;
    // The shared time is as old as the last sweep: after a jump of the clock a new request would be overdue at the next one.
    this.#state.time = this.#state.options.elapsed();
    this.#heardAt = this.#state.time;
    this.#startedAt = this.#state.time;
    call.connection.awaited = this;
    this.#state.watched.add(this);
  }

  start(): void {
    const { judged, credentials } = this.#admitted;
    const { upstream, asked } = judged;
    const { request, wire } = this.#call;
    this.#credential = credentials[this.#call.attempts];
    this.#call.attempts += 1;
    this.#call.server = upstream.server;
    this.#phase = "waiting";
    this.#abort = undefined;
    this.#heardAt = this.#state.time;
    const headers = forwardedHeaders(request.rawHeaders, {
      connection: request.headers.connection,
      credential: this.#credential?.headers(wire) ?? {},
    });
    const method = request.method === "GET" ? "GET" : "POST";
    const asks = this.#call.target;
    // What serves ChatGPT's logins has no versions in its paths.
    const path = upstream.prefix + (judged.provider.login === "codex" ? asks.replace(/^\/v1(?=\/)/, "") : asks);
    upstream.pool.dispatch({ origin: upstream.origin, method, path, headers, body: asked?.sent ?? null }, this);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#phase === "over") abort(GONE);
  }

  onHeaders(status: number, raw: readonly Buffer[], resume: () => void): boolean {
    if (this.#phase === "over" || status < 200) return true;
    const { id, wire, route } = this.#call;
    const { judged, reserved, credentials } = this.#admitted;
    const hideUsage = judged.asked?.hideUsage === true;
    this.#heardAt = this.#state.time;
    if (this.#call.firstByteAt === 0) this.#call.firstByteAt = this.#state.options.now();
    const headers = returnedHeaders(raw, secretsOf(this.#credential, wire));
    if (status >= 300) {
      this.#phase = "error";
      this.#refused = { status, headers, body: new Gather(LIMITS.proxyErrorBytes) };
      return true;
    }
    this.#resume = resume;
    this.#hasLines = headerOf(headers, "content-type")?.startsWith("text/event-stream") === true;
    this.#call.status = status;
    this.#call.letGo();
    if (this.#credential !== undefined && credentials.length > 1) judged.provider.report(this.#credential, { status });
    if (reserved !== undefined) this.#meter = meterFor(route?.name, headers, { hideUsage, facts: reserved.facts });
    const passed = hideUsage ? withoutHeader(headers, "content-length") : headers;
    passed.push(REQUEST_ID, id);
    this.#response.writeHead(status, passed);
    this.#phase = "passing";
    // A caller of a stream sees that it has begun, even if nothing else has arrived yet.
    this.#flushSoon();
    return true;
  }

  onData(piece: Buffer): boolean {
    // A stream that never ends a line counts as silent.
    if (!this.#hasLines || piece.includes(LINE_FEED)) this.#heardAt = this.#state.time;
    if (this.#phase === "passing") {
      this.#pieces.push(piece);
      this.#flushSoon();
    } else if (this.#phase === "error" && this.#refused?.body.add(piece) === false) {
      this.#fail(
        new Failure("model_error", "the provider answered with an error that is too long to pass on"),
        REFUSED,
      );
    }
    return this.#stalledAt === undefined;
  }

  onComplete(): void {
    if (this.#phase === "error") this.#endRefusal();
    if (this.#phase !== "passing") return;
    const bytes = this.#metered();
    const rest = this.#meter?.finish();
    this.#settleAnswer();
    // A stream can lack its final event although its connection ended normally.
    if (this.#meter === undefined || this.#meter.tally.isFinal) this.#settle({ outcome: "completed", payment: "told" });
    else this.#settle({ outcome: "broken", payment: this.#hasBody ? "told" : "all", code: "model_stream_cut" });
    this.#over();
    if (rest === undefined) this.#response.end(bytes);
    else this.#response.end(bytes === undefined ? rest : Buffer.concat([bytes, rest]));
  }

  onError(error: Error): void {
    switch (this.#phase) {
      case "over":
        return;
      case "passing":
        this.#cut("model_stream_cut");
        return;
      case "error":
        this.#fail(new Failure("model_error", "the provider refused and broke off while it said why"), REFUSED);
        return;
      case "waiting":
        this.#failToAsk(error);
    }
  }

  check(now: number): void {
    if (this.#stalledAt !== undefined) {
      if (now - this.#stalledAt >= LIMITS.proxyStalledMs) this.#response.destroy();
      return;
    }
    if (this.#isOverdue(now)) {
      const { id } = this.#admitted.judged.provider;
      const words = `the provider ${id} took longer than ${LIMITS.proxyExchangeMs / 60_000} minutes: ask for less at once`;
      if (this.#phase === "passing") this.#cut("timed_out");
      else this.#fail(new Failure("timed_out", words), { outcome: "broken", payment: this.#unheard() }, 504);
      return;
    }
    const patience = this.#hasBody ? LIMITS.proxyIdleMs : LIMITS.proxyFirstByteMs;
    if (now - this.#heardAt < patience) return;
    if (this.#phase === "passing") {
      this.#cut("timed_out");
      return;
    }
    const { id } = this.#admitted.judged.provider;
    const failure = new Failure("timed_out", `the provider ${id} said nothing for ${patience / 1_000} s: try again`);
    this.#fail(failure, { outcome: "broken", payment: this.#unheard() }, 504);
  }

  /** The wall clock also counts time in which the machine slept. */
  #isOverdue(now: number): boolean {
    const { startedAt } = this.#call;
    const wall = this.#state.options.now() - startedAt;
    return now - this.#startedAt >= LIMITS.proxyExchangeMs || wall >= LIMITS.proxyExchangeMs;
  }

  close(): void {
    if (this.#phase === "passing") this.#cut("shutting_down");
    else {
      this.#fail(new Failure("shutting_down", "the server is stopping"), {
        outcome: "broken",
        payment: this.#unheard(),
      });
    }
  }

  /** The charge for a request without an answer: all, unless it never went out or was refused. */
  #unheard(): Payment {
    return this.#abort === undefined || this.#phase === "error" ? "nothing" : "all";
  }

  /** At the end of this tick: what the provider sent together is written together. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(flush, this);
  }

  flush(): void {
    this.#isFlushing = false;
    if (this.#phase !== "passing") return;
    const bytes = this.#metered();
    if (bytes === undefined) {
      this.#response.flushHeaders();
      return;
    }
    if (this.#response.write(bytes) || this.#stalledAt !== undefined) return;
    this.#stalledAt = this.#state.time;
    this.#response.once("drain", () => {
      this.#stalledAt = undefined;
      this.#heardAt = this.#state.time;
      if (this.#phase !== "over") this.#resume?.();
    });
  }

  /** What the caller gets of what has arrived. The answer is charged before the caller can see its end. */
  #metered(): Buffer | undefined {
    const pieces = this.#pieces;
    const [first] = pieces;
    if (first === undefined) return undefined;
    this.#pieces = [];
    const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
    this.#hasBody = true;
    this.#call.responseBytes += bytes.length;
    if (this.#meter === undefined) return bytes;
    const passed = this.#meter.feed(bytes);
    this.#settleAnswer();
    return passed;
  }

  /** The provider has ended its answer, successfully or not. */
  #settleAnswer(): void {
    const meter = this.#meter;
    if (meter?.end === undefined || this.#isSettled) return;
    if (meter.end === "completed") this.#settle({ outcome: "completed", payment: "told" });
    else this.#settle({ outcome: "provider_error", payment: meter.began ? "told" : "nothing", code: "model_error" });
  }

  #settle({ outcome, payment, code }: RelayEnd): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { reserved } = this.#admitted;
    let charge: Charge | undefined;
    if (payment === "nothing") reserved?.reservation.release();
    else if (reserved !== undefined) {
      const told = payment === "all" ? undefined : this.#meter?.tally;
      charge = chargeInTheEnd(this.#state, this.#admitted.judged, {
        outcome,
        charge: told === undefined ? chargeAll(reserved) : chargeTold(reserved, told),
      });
      reserved.reservation.settle(charge);
    }
    this.#call.answer = answerOf(this.#meter);
    this.#call.tell({ outcome, code, charge });
  }

  /** Nothing came back at all. */
  #failToAsk(error: Error): void {
    const { id } = this.#admitted.judged.provider;
    const reason = (error as NodeJS.ErrnoException).code ?? error.name;
    if (this.#abort !== undefined) {
      const words = `the provider ${id} broke off before it answered (${reason})`;
      this.#fail(new Failure("model_unavailable", words), { outcome: "broken", payment: "all" });
    } else if (reason === "UND_ERR_INVALID_ARG") {
      const words = "the head of this request cannot be passed on: check its headers";
      this.#fail(new Failure("invalid_request", words), { outcome: "refused", payment: "nothing" });
    } else {
      const words = `the provider ${id} cannot be reached (${reason}): check its address and the network`;
      this.#fail(new Failure("model_unavailable", words), REFUSED);
    }
  }

  /** The provider's refusal is complete: try another credential, or pass it to the caller. */
  #endRefusal(): void {
    const refused = this.#refused;
    if (refused === undefined) return;
    const { judged, credentials } = this.#admitted;
    const { provider } = judged;
    const { status, headers } = refused;
    if (isWorthAnother(status) && this.#credential !== undefined) {
      provider.report(this.#credential, { status, retryAfterMs: retryAfterMs(headers, this.#state.options.now()) });
      if (this.#call.attempts < Math.min(credentials.length, LIMITS.proxyAttempts)) {
        this.start();
        return;
      }
      if (status === 401 && provider.login !== undefined && this.#call.attempts === 1) {
        void this.#withNewToken(refused);
        return;
      }
    }
    this.#endWith(refused);
  }

  /** A login's token was refused: it is refreshed, and the request sent once more. */
  async #withNewToken(refused: ProviderRefusal): Promise<void> {
    const { provider } = this.#admitted.judged;
    const found = await provider.credentials().catch((error: unknown) => error);
    if (this.#phase === "over") return;
    if (found instanceof Failure) return this.#fail(found, REFUSED);
    const fresh = Array.isArray(found) ? (found[0] as Credential | undefined) : undefined;
    if (fresh === undefined || fresh === this.#credential) return this.#endWith(refused);
    this.#admitted = { ...this.#admitted, credentials: [...this.#admitted.credentials, fresh] };
    this.start();
  }

  #endWith(refused: ProviderRefusal): void {
    const { status } = refused;
    const { provider } = this.#admitted.judged;
    if (status >= 400) this.#passRefusal(refused);
    else {
      const words = `the provider ${provider.id} answered ${status}, a redirect: check its address`;
      this.#fail(new Failure("model_error", words), REFUSED);
    }
  }

  #passRefusal({ status, headers, body }: ProviderRefusal): void {
    const clean = this.#withoutSecrets(body.take());
    this.#call.status = status;
    this.#call.responseBytes = clean.length;
    this.#settle({ ...REFUSED, code: codeOfAnswer(status) });
    this.#over();
    const passed = withoutHeader(headers, "content-length");
    passed.push("content-length", String(clean.length), REQUEST_ID, this.#call.id);
    if (status === 401 || status === 403) {
      passed.push("x-sallyport-provider", this.#admitted.judged.provider.id);
      if (this.#credential !== undefined) passed.push("x-sallyport-credential", headerText(this.#credential.name));
    }
    this.#response.writeHead(status, passed);
    this.#response.end(clean);
  }

  /** Some providers repeat the key that they refuse. */
  #withoutSecrets(body: Buffer): Buffer {
    const text = body.toString();
    let clean = this.#state.options.redact(text);
    for (const secret of secretsOf(this.#credential, this.#call.wire)) clean = clean.replaceAll(secret, "[redacted]");
    return clean === text ? body : Buffer.from(clean);
  }

  /** Sends one of our errors to the caller: nothing of an answer has been forwarded. */
  #fail(failure: Failure, ending: RelayEnd, status?: number): void {
    const { id, wire, request } = this.#call;
    const refusal = refusalOf(failure, { wire, id, status });
    this.#call.status = refusal.status;
    this.#call.responseBytes = Buffer.byteLength(refusal.body);
    this.#settle({ ...ending, code: failure.code });
    this.#over();
    this.#abort?.(GONE);
    sendRefusal(request, this.#response, refusal);
  }

  /** Ends an answer that has begun. The caller sees a break, unless the provider had finished. */
  #cut(code: ErrorCode, outcome: Exchange["outcome"] = "broken"): void {
    const rest = this.#metered();
    const isWhole = this.#meter?.end !== undefined;
    this.#settle({ outcome, payment: this.#hasBody ? "told" : "all", code });
    this.#over();
    this.#abort?.(GONE);
    if (isWhole) this.#response.end(rest);
    else breakOff(this.#response, rest);
  }

  leave(): void {
    if (this.#phase === "over") return;
    this.#metered();
    const payment = this.#phase === "passing" && this.#hasBody ? "told" : this.#unheard();
    this.#settle({ outcome: "caller_gone", payment });
    this.#over();
    this.#abort?.(GONE);
  }

  /** Charged like a caller that leaves: the provider is not to blame, and may still work on it. */
  revoke(failure: Failure): void {
    if (this.#phase === "passing") this.#cut(failure.code, "caller_gone");
    else if (this.#phase !== "over") this.#fail(failure, { outcome: "caller_gone", payment: this.#unheard() });
  }

  #over(): void {
    this.#phase = "over";
    this.#call.connection.awaited = undefined;
    this.#call.letGo();
    this.#state.watched.delete(this);
  }
}

/** A name may have characters that are not allowed in a header. */
function headerText(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, "?");
}

const REQUEST_ID = "x-sallyport-request-id";
const LINE_FEED = 10;
const GONE = new Error("the caller is gone");
const REFUSED: RelayEnd = { outcome: "provider_error", payment: "nothing" };

function flush(relay: Relay): void {
  relay.flush();
}

function answerOf(meter: Meter | undefined): Exchange["answer"] {
  if (meter === undefined) return undefined;
  const { responseId: id, responseModel: model, finishReason: finish_reason } = meter.tally;
  return { id, model, finish_reason };
}
