import type {
  CreateNotificationTarget,
  CreatePairing,
  NotificationResult,
  NotificationSettings,
  NotificationTargetCreated,
  PairingCreated,
  PairingView,
} from "../../protocol/index.ts";
import type { SendCall } from "./api-call.ts";

/** Where people are told of questions and ends, and how a phone gets a token of its own. */
export class NotificationCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  settings(): Promise<NotificationSettings> {
    return this.#call({ method: "GET", path: TARGETS });
  }

  /** The answer has a webhook's secret, this once. */
  add(target: CreateNotificationTarget): Promise<NotificationTargetCreated> {
    return this.#call({ method: "POST", path: TARGETS, body: target });
  }

  remove(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `${TARGETS}/${encodeURIComponent(id)}` });
  }

  /** Sends a message now. */
  test(id: string): Promise<NotificationResult> {
    return this.#call({ method: "POST", path: `${TARGETS}/${encodeURIComponent(id)}/test` });
  }

  /** A code for a phone. It belongs behind the `#` of a link. */
  pair(request: CreatePairing = {}): Promise<PairingCreated> {
    return this.#call({ method: "POST", path: PAIRINGS, body: request });
  }

  pairing(id: string): Promise<PairingView> {
    return this.#call({ method: "GET", path: `${PAIRINGS}/${encodeURIComponent(id)}` });
  }

  endPairing(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `${PAIRINGS}/${encodeURIComponent(id)}` });
  }
}

const TARGETS = "/api/notifications";
const PAIRINGS = "/api/pairings";
