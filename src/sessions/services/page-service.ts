import {
  Failure,
  LIMITS,
  type AnswerCall,
  type DeclareTools,
  type NewId,
  type WithdrawTools,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import { ownPageProtocol, type PageProtocol } from "../page-tools/page-protocol.ts";
import { fullName, PageRegistration, type PagePeer } from "../page-tools/page-registration.ts";
import type { Clock } from "../dependencies.ts";
import type { SessionService } from "./session-service.ts";

interface PageServiceParts {
  readonly sessions: Pick<SessionService, "registerTools">;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Web pages that offer tools to sessions. Nothing is stored: after a restart pages declare again. */
export class PageService {
  readonly #parts: PageServiceParts;
  readonly #registrations = new Map<string, PageRegistration>();
  /** By registration: resolves when the last requested change is done. */
  readonly #changing = new Map<string, Promise<unknown>>();

  constructor(parts: PageServiceParts) {
    this.#parts = parts;
  }

  /** A connection that may have pages behind it; the answer speaks for it. `protocol`: absent: that of `/api/ws`. */
  connect(caller: Caller, peer: PagePeer, protocol = ownPageProtocol(this.#parts)): PageConnection {
    return new PageConnection(this, caller, { peer, protocol });
  }

  /** Changes of one registration run one after the other, in the order of the requests. */
  async change<Answer>(key: string, act: () => Promise<Answer>): Promise<Answer> {
    const before = this.#changing.get(key) ?? Promise.resolve();
    const done = before.then(act);
    const settled = done.catch(() => undefined);
    this.#changing.set(key, settled);
    try {
      return await done;
    } finally {
      if (this.#changing.get(key) === settled) this.#changing.delete(key);
    }
  }

  registration(key: string): PageRegistration | undefined {
    return this.#registrations.get(key);
  }

  /** The registration with these tools: the existing one if it is the same page, else a new one that replaces it. */
  async take(caller: Caller, { peer, protocol }: ConnectedPeer, wanted: WantedTools): Promise<PageRegistration> {
    const { session_id, page, instance, tools } = wanted;
    const { sessions } = this.#parts;
    const key = registrationKey(wanted);
    const owner = { principal: caller.id, instance };
    const found = this.#registrations.get(key);
    const same = found?.isOf(owner) === true;
    if (found !== undefined && !same && found.peer !== undefined && found.peer !== peer)
      throw new Failure("conflict", `another page is ${page} in ${session_id} already; close it or use another name`);
    const registration =
      same && found !== undefined ? found : new PageRegistration({ session_id, page, ...owner, protocol });
    if (!registration.isSame(tools))
      registration.took(
        tools,
        await sessions.registerTools(caller, session_id, registration.clientTools(tools), found?.unregister),
      );
    if (found !== undefined && found !== registration) found.end();
    this.#registrations.set(key, registration);
    return registration;
  }

  /** The page has disconnected, for now. */
  leave(registration: PageRegistration): void {
    registration.leave(() => {
      this.forget(registration);
      registration.end();
    });
  }

  /** The registration has ended: another page may take its place. */
  forget(registration: PageRegistration): void {
    const key = registrationKey(registration);
    if (this.#registrations.get(key) === registration) this.#registrations.delete(key);
  }
}

type WantedTools = Omit<DeclareTools, "type" | "command_id">;

interface ConnectedPeer {
  readonly peer: PagePeer;
  readonly protocol: PageProtocol;
}

/** What one connection may do: declare and withdraw pages, and answer the calls that were sent to it, and no others. */
export class PageConnection {
  readonly #service: PageService;
  readonly #caller: Caller;
  readonly #peer: PagePeer;
  readonly #connected: ConnectedPeer;
  readonly #registrations = new Set<PageRegistration>();
  #isClosed = false;

  constructor(service: PageService, caller: Caller, connected: ConnectedPeer) {
    this.#service = service;
    this.#caller = caller;
    this.#peer = connected.peer;
    this.#connected = connected;
  }

  /** The names that models see. Calls that waited for this page are sent to it before this resolves. */
  declare(wanted: WantedTools): Promise<{ readonly tools: readonly string[] }> {
    this.#tidy();
    if (
      this.#registrations.size >= LIMITS.pagesPerConnection &&
      ![...this.#registrations].some(
        (registration) => registration.session_id === wanted.session_id && registration.page === wanted.page,
      )
    )
      throw new Failure("limit_reached", `a connection may have ${LIMITS.pagesPerConnection} pages`);
    return this.#service.change(registrationKey(wanted), async () => {
      const registration = await this.#service.take(this.#caller, this.#connected, wanted);
      this.#registrations.add(registration);
      registration.arrive(this.#peer);
      if (this.#isClosed) this.#service.leave(registration);
      return { tools: wanted.tools.map(({ name }) => fullName(wanted.page, name)) };
    });
  }

  /** Also after its connection is gone, as long as no other page is in its place. */
  withdraw(wanted: Pick<WithdrawTools, "session_id" | "page">): Promise<object> {
    return this.#service.change(registrationKey(wanted), async () => {
      const registration = this.#service.registration(registrationKey(wanted));
      const isOthers = registration?.peer !== undefined && registration.peer !== this.#peer;
      if (registration === undefined || isOthers || !this.#registrations.has(registration))
        throw new Failure("not_found", `this connection has no page ${wanted.page} in ${wanted.session_id}`);
      registration.withdraw();
      this.#service.forget(registration);
      this.#tidy();
      return {};
    });
  }

  /** True if the call waits for an answer: that answer was requested, so it does not count as a request. */
  awaits(call_id: string): boolean {
    return [...this.#registrations].some((registration) => registration.awaits(this.#peer, call_id));
  }

  /** The first answer counts; for any other the page is told that nobody waits. */
  answer(answer: AnswerCall): void {
    if ([...this.#registrations].some((registration) => registration.answer(this.#peer, answer))) return;
    this.#peer.say({ type: "tool.settled", call_id: answer.call_id, how: "late" });
  }

  /** An unreadable answer also ends the call. False: it was for no call of this connection. */
  garbled(call_id: string, why: string): boolean {
    return [...this.#registrations].some((registration) => registration.garble(this.#peer, call_id, why));
  }

  close(): void {
    this.#isClosed = true;
    for (const registration of this.#registrations)
      if (registration.peer === this.#peer) this.#service.leave(registration);
  }

  /** Registrations that it no longer owns stay until their begun calls are over. */
  #tidy(): void {
    for (const registration of this.#registrations)
      if (registration.idle && this.#service.registration(registrationKey(registration)) !== registration)
        this.#registrations.delete(registration);
  }
}

function registrationKey({ session_id, page }: { readonly session_id: string; readonly page: string }): string {
  return `${session_id} ${page}`;
}
