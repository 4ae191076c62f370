import type {
  CreateLongRun,
  CreateSchedule,
  CreateWebhook,
  LongRunDetail,
  LongRunList,
  LongRunTemplates,
  LongRunView,
  ScheduleList,
  ScheduleView,
  TriggerHistory,
  WebhookCreated,
  WebhookList,
  WebhookView,
} from "../../protocol/index.ts";
import type { SendCall } from "./api-call.ts";

const at = (base: string, id: string, rest = ""): string => `${base}/${encodeURIComponent(id)}${rest}`;

/** Long runs: sessions one after the other on one task. */
export class LongRunCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  list(): Promise<LongRunList> {
    return this.#call({ method: "GET", path: RUNS });
  }

  get(id: string): Promise<LongRunDetail> {
    return this.#call({ method: "GET", path: at(RUNS, id) });
  }

  start(request: CreateLongRun): Promise<LongRunView> {
    return this.#call({ method: "POST", path: RUNS, body: request });
  }

  control(id: string, verb: "pause" | "continue" | "stop"): Promise<LongRunView> {
    return this.#call({ method: "POST", path: at(RUNS, id, `/${verb}`) });
  }

  remove(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: at(RUNS, id) });
  }

  /** The two templates that are used where a long run names none. */
  templates(): Promise<LongRunTemplates> {
    return this.#call({ method: "GET", path: `${RUNS}/templates` });
  }
}
const RUNS = "/api/long-runs";

/** Sessions that begin at set times. */
export class ScheduleCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  list(): Promise<ScheduleList> {
    return this.#call({ method: "GET", path: SCHEDULES });
  }

  create(request: CreateSchedule): Promise<ScheduleView> {
    return this.#call({ method: "POST", path: SCHEDULES, body: request });
  }

  control(id: string, verb: "pause" | "continue"): Promise<ScheduleView> {
    return this.#call({ method: "POST", path: at(SCHEDULES, id, `/${verb}`) });
  }

  /** Starts a session of it now; its own times stay. */
  run(id: string): Promise<ScheduleView> {
    return this.#call({ method: "POST", path: at(SCHEDULES, id, "/run") });
  }

  /** What became of it so far, the newest first. */
  history(id: string): Promise<TriggerHistory> {
    return this.#call({ method: "GET", path: at(SCHEDULES, id, "/history") });
  }

  remove(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: at(SCHEDULES, id) });
  }
}
const SCHEDULES = "/api/schedules";

/** Sessions that begin when a signed delivery comes. */
export class WebhookCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  list(): Promise<WebhookList> {
    return this.#call({ method: "GET", path: WEBHOOKS });
  }

  /** The answer has the secret, this once. */
  create(request: CreateWebhook): Promise<WebhookCreated> {
    return this.#call({ method: "POST", path: WEBHOOKS, body: request });
  }

  /** A new secret, this once. The old one is worth nothing from now on. */
  rotate(id: string): Promise<WebhookCreated> {
    return this.#call({ method: "POST", path: at(WEBHOOKS, id, "/rotate") });
  }

  control(id: string, verb: "pause" | "continue"): Promise<WebhookView> {
    return this.#call({ method: "POST", path: at(WEBHOOKS, id, `/${verb}`) });
  }

  /** The last deliveries that were signed, the newest first. */
  history(id: string): Promise<TriggerHistory> {
    return this.#call({ method: "GET", path: at(WEBHOOKS, id, "/history") });
  }

  remove(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: at(WEBHOOKS, id) });
  }
}
const WEBHOOKS = "/api/webhooks";
