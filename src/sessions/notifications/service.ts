import { createHmac, timingSafeEqual } from "node:crypto";
import { may } from "../../gate/index.ts";
import {
  Failure,
  LIMITS,
  SYSTEM,
  type CreateNotificationTarget,
  type JournalEvent,
  type NotificationAnswer,
  type NotificationAnswered,
  type NotificationResult,
  type NotificationSettings,
  type NotificationTargetCreated,
  type NotificationTargetView,
  type PushMessage,
} from "../../protocol/index.ts";
import { authorize, type Caller } from "../access/access.ts";
import { storedCaller } from "../access/stored-caller.ts";
import type { SessionState } from "../core/state.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Registry } from "../lifecycle/registry.ts";
import type { ApprovalService } from "../services/approval-service.ts";
import { messageFor, testNotice, type TargetSecret } from "./messages.ts";
import { noticeOf, questionNotice, type Notice } from "./notice.ts";
import { NotificationQueue, type JobResult, type NotificationJob } from "./queue.ts";
import { MessageSender, type OutgoingMessage, type SendResult } from "./send.ts";
import { TargetBook, type StoredTarget } from "./targets.ts";
import { encryptPush, vapidHeader, vapidKeys, type VapidKeys } from "./web-push.ts";

/** Push services want to know whom to write to. The console's own address is known only where it has TLS. */
const CONTACT = "mailto:sallyport@users.noreply.github.com";

interface NotificationServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly approvals: ApprovalService;
}

/**
 * Tells people of questions, reached budgets and ended turns, in their browsers and by services that they use. A target has the rights of
 * the token that made it, looked up for each message, and ends with it.
 */
export class NotificationService {
  readonly #parts: NotificationServiceParts;
  readonly #book: TargetBook;
  readonly #sender: MessageSender;
  readonly #queue: NotificationQueue;
  readonly #vapid: VapidKeys;
  readonly #last = new Map<string, NotificationResult>();

  constructor(parts: NotificationServiceParts) {
    this.#parts = parts;
    const { dependencies } = parts;
    const { hosts, vapidSecret } = dependencies.notifications;
    this.#book = new TargetBook(dependencies);
    this.#sender = new MessageSender({ hosts, addressOf: dependencies.addressOf });
    this.#vapid = vapidKeys(vapidSecret);
    this.#queue = new NotificationQueue({
      clock: dependencies.clock,
      send: (job) => this.#deliver(job),
      onDropped: ({ target_id, tries }) =>
        dependencies.log.warn({ target: target_id, tries }, "a notification could not be sent, and is given up"),
    });
  }

  /** Before the first event is observed. */
  open(): Promise<void> {
    return this.#book.open();
  }

  /** Tells of questions that an earlier server asked, and of which it could not tell. */
  async resume(): Promise<void> {
    if (this.#book.all.length === 0) return;
    const { dependencies, registry } = this.#parts;
    const { rows } = await dependencies.store.read.approvals({
      status: "pending",
      limit: LIMITS.notificationsAtStart,
    });
    for (const approval of rows) {
      const session = await registry.get(approval.session_id).catch(() => undefined);
      if (session !== undefined) this.#tell(questionNotice(approval, session.state, dependencies.redact));
    }
  }

  /** Called for every event once it is on the disk. */
  observe(event: JournalEvent, state: SessionState): void {
    if (this.#book.all.length === 0) return;
    const notice = noticeOf(event, state, this.#parts.dependencies.redact);
    if (notice !== undefined) this.#tell(notice);
  }

  close(): Promise<void> {
    this.#queue.close();
    return this.#sender.close();
  }

  /** The caller's own targets; an admin sees everybody's. Those whose token is gone are gone too. */
  async settings(caller: Caller): Promise<NotificationSettings> {
    authorize(caller, "notification.use");
    for (const target of this.#book.all) await this.#callerOf(target);
    const targets = this.#book.all.filter((target) => isFor(caller, target)).map((target) => this.#view(target));
    return { push_key: this.#vapid.publicKey, targets };
  }

  async create(caller: Caller, request: CreateNotificationTarget): Promise<NotificationTargetCreated> {
    authorize(caller, "notification.use");
    // Its requests leave the server's machine for a place that the caller names.
    if (request.kind !== "push") authorize(caller, "trigger.manage");
    const { target, secret } = await this.#book.add(caller, request);
    return { ...this.#view(target), ...(secret.kind === "webhook" ? { secret: secret.secret } : {}) };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.#book.remove(caller, this.#find(caller, id).id);
    this.#last.delete(id);
  }

  /** Sends a message now. */
  async test(caller: Caller, id: string): Promise<NotificationResult> {
    const target = this.#find(caller, id);
    const { newId } = this.#parts.dependencies;
    const result = await this.#send(target, { notice: testNotice(target.name), id: newId("msg") });
    if (result.type === "gone" && target.kind === "push") await this.#end(target);
    return this.#note(target, result);
  }

  /** Whether an answer comes from the notification that this target got. Says nothing of why not. */
  isGenuine(answer: NotificationAnswer): boolean {
    const given = Buffer.from(answer.ticket, "base64url");
    const wanted = this.#ticket(answer);
    const isRight = given.length === wanted.length && timingSafeEqual(given, wanted);
    return isRight && this.#book.find(answer.target_id) !== undefined;
  }

  /** Answers a question with the rights of the target's token. The answer must be genuine. */
  async answer(answer: NotificationAnswer): Promise<NotificationAnswered> {
    const target = this.#book.find(answer.target_id);
    const caller = target === undefined ? undefined : await this.#callerOf(target);
    if (caller === undefined)
      throw new Failure("unauthenticated", "this browser's token was deleted or has expired; sign in again");
    const { decision, input_hash } = answer;
    const { approvals } = this.#parts;
    const { id, status, tool } = await approvals.decide(caller, answer.approval_id, { decision, input_hash });
    return { id, status, tool };
  }

  #tell(notice: Notice): void {
    const { newId } = this.#parts.dependencies;
    for (const target of this.#book.all) {
      const isWanted = target.events.some((event) => event === notice.event);
      if (isWanted) this.#queue.put({ target_id: target.id, notice, id: newId("msg"), tries: 0 });
    }
  }

  async #deliver(job: NotificationJob): Promise<JobResult> {
    const { log } = this.#parts.dependencies;
    try {
      const target = this.#book.find(job.target_id);
      if (target === undefined || !(await this.#isDue(target, job.notice))) return { type: "done" };
      const result = await this.#send(target, job);
      this.#note(target, result);
      if (result.type === "later") return { type: "retry", waitMs: result.waitMs };
      if (result.type === "gone" && target.kind === "push") await this.#end(target);
      else if (result.type === "sent") await this.#markTold(target, job.notice);
      else log.warn({ target: target.id, kind: target.kind, why: result.why }, "a notification was refused");
      return { type: "done" };
    } catch (error) {
      log.warn({ err: error, target: job.target_id }, "a notification could not be sent");
      return { type: "done" };
    }
  }

  /** Whether the target's person may know this, and does not know it yet. */
  async #isDue(target: StoredTarget, { event, owner, approval }: Notice): Promise<boolean> {
    const caller = await this.#callerOf(target);
    if (caller === undefined) return false;
    const scope = may(caller.role, event === "ended" ? "session.read" : "approval.read");
    if (scope === "no" || ((scope === "own" || target.sessions === "own") && owner !== caller.id)) return false;
    if (approval === undefined) return true;
    const { read } = this.#parts.dependencies.store;
    const now = this.#parts.dependencies.clock.now();
    if (await read.receipt({ principal_id: SYSTEM.id, key: toldKey(target.id, approval.id), now })) return false;
    return (await read.approval(approval.id))?.status === "pending";
  }

  async #send(target: StoredTarget, { notice, id }: Pick<NotificationJob, "notice" | "id">): Promise<SendResult> {
    const secret = this.#book.secretOf(target.id);
    if (secret === undefined) return { type: "refused", why: "its address is not in the secret store any more" };
    const now = this.#parts.dependencies.clock.now();
    const { console_url: consoleUrl, template } = target;
    const message =
      secret.kind === "push"
        ? this.#pushMessage(target, secret, notice)
        : messageFor(secret, { notice, consoleUrl, template, id, now });
    return this.#sender.send(message);
  }

  #pushMessage(
    { id: target_id }: StoredTarget,
    { endpoint, keys, answers }: Extract<TargetSecret, { kind: "push" }>,
    notice: Notice,
  ): OutgoingMessage {
    const { event, title, text, tag, path, approval } = notice;
    const question = approval === undefined ? undefined : { approval_id: approval.id, input_hash: approval.input_hash };
    const message = bounded({
      event,
      title,
      text,
      tag,
      path,
      ...(question === undefined || approval?.isWhole !== true || answers === undefined
        ? {}
        : {
            answer: {
              target_id,
              ...question,
              ticket: this.#ticket({ target_id, ...question }).toString("base64url"),
              how: answers,
            },
          }),
    });
    const now = this.#parts.dependencies.clock.now();
    const left = approval?.expires_at === undefined ? LIMITS.pushTtlS : Math.ceil((approval.expires_at - now) / 1_000);
    const url = new URL(endpoint);
    return {
      url,
      headers: {
        ttl: String(Math.max(0, Math.min(left, LIMITS.pushTtlS))),
        urgency: event === "ended" ? "normal" : "high",
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        authorization: vapidHeader(this.#vapid, { endpoint: url, contact: CONTACT, now }),
      },
      body: encryptPush(message, keys),
    };
  }

  /** Bound to one browser, one question and what it showed. Derived, so that it counts after a restart too. */
  #ticket({ target_id, approval_id, input_hash }: Omit<NotificationAnswer, "decision" | "ticket">): Buffer {
    const { webhookKey } = this.#parts.dependencies;
    const bound = JSON.stringify(["notification-answer", target_id, approval_id, input_hash]);
    return createHmac("sha256", webhookKey).update(bound).digest();
  }

  async #markTold({ id }: StoredTarget, { approval }: Notice): Promise<void> {
    if (approval === undefined) return;
    const { store, clock } = this.#parts.dependencies;
    const expires_at = clock.now() + LIMITS.notifiedKeptMs;
    const receipt = {
      principal_id: SYSTEM.id,
      key: toldKey(id, approval.id),
      request_hash: "",
      answer: "{}",
      expires_at,
    };
    await store.commit({ receipts: [receipt] }, { patient: true });
  }

  /** Who is told. Undefined: the token is gone, and the target with it. */
  async #callerOf(target: StoredTarget): Promise<Caller | undefined> {
    const { store, expiryClock } = this.#parts.dependencies;
    const caller = await storedCaller(store.read, target.token_id, expiryClock.now());
    if (caller === undefined || may(caller.role, "notification.use") === "no") {
      await this.#end(target);
      return undefined;
    }
    return caller;
  }

  async #end({ id }: StoredTarget): Promise<void> {
    if (this.#book.find(id) !== undefined) await this.#book.remove(SYSTEM, id);
    this.#last.delete(id);
  }

  #note({ id }: StoredTarget, result: SendResult): NotificationResult {
    const { clock, redact } = this.#parts.dependencies;
    const message = result.type === "sent" ? "sent" : redact(result.why);
    const noted = { at: new Date(clock.now()).toISOString(), ok: result.type === "sent", message };
    if (this.#book.find(id) !== undefined) this.#last.set(id, noted);
    return noted;
  }

  #find(caller: Caller, id: string): StoredTarget {
    authorize(caller, "notification.use");
    const target = this.#book.find(id);
    if (target === undefined || !isFor(caller, target))
      throw new Failure("not_found", `there is no notification target ${id}`);
    return target;
  }

  #view({ console_url: _url, template: _template, ...target }: StoredTarget): NotificationTargetView {
    const last = this.#last.get(target.id);
    return { ...target, events: [...target.events], ...(last === undefined ? {} : { last }) };
  }
}

function isFor(caller: Caller, { created_by }: StoredTarget): boolean {
  return caller.role === "admin" || created_by.id === caller.id;
}

function toldKey(target_id: string, approval_id: string): string {
  return `told/${target_id}/${approval_id}`;
}

/** Texts are cut by characters, services count bytes: what does not fit is left to the console. */
function bounded(message: PushMessage): Buffer {
  const whole = Buffer.from(JSON.stringify(message));
  if (whole.length <= LIMITS.pushPlainBytes) return whole;
  const { answer: _answer, ...rest } = message;
  return Buffer.from(JSON.stringify({ ...rest, text: "Open the console to see it." }));
}
