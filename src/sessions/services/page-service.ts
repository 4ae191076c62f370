import {
  Failure,
  LIMITS,
  type AnswerCall,
  type DeclareTools,
  type NewId,
  type WithdrawTools,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import { fullName, Seat, type PagePeer } from "../page-tools/page-registration.ts";
import type { Clock } from "../dependencies.ts";
import type { SessionService } from "./session-service.ts";

interface PageHouse {
  readonly sessions: Pick<SessionService, "lend">;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Web pages that lend tools to sessions. Nothing of it is written down: after a restart pages declare again. */
export class PageService {
  readonly #house: PageHouse;
  readonly #seats = new Map<string, Seat>();
  /** By seat: resolves when the last change that was asked for is done. */
  readonly #changing = new Map<string, Promise<unknown>>();

  constructor(house: PageHouse) {
    this.#house = house;
  }

  /** A connection that may have pages behind it; the answer speaks for it. */
  connect(caller: Caller, peer: PagePeer): PageConnection {
    return new PageConnection(this, caller, peer);
  }

  /** Changes of one seat happen one after the other, in the order in which they were asked for. */
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

  seat(key: string): Seat | undefined {
    return this.#seats.get(key);
  }

  /** The seat with these tools lent: the one that is there if it is the same page, else a new one in its place. */
  async take(caller: Caller, peer: PagePeer, wanted: DeclareTools): Promise<Seat> {
    const { session_id, page, instance, tools } = wanted;
    const { sessions, clock, newId } = this.#house;
    const key = seatKey(wanted);
    const owner = { principal: caller.id, instance };
    const found = this.#seats.get(key);
    const same = found?.isOf(owner) === true;
    if (found !== undefined && !same && found.peer !== undefined && found.peer !== peer)
      throw new Failure("conflict", `another page is ${page} in ${session_id} already; close it or use another name`);
    const seat = same && found !== undefined ? found : new Seat({ session_id, page, ...owner, clock, newId });
    if (!seat.lends(tools))
      seat.took(tools, await sessions.lend(caller, session_id, seat.lent(tools), found?.takeBack));
    if (found !== undefined && found !== seat) found.end();
    this.#seats.set(key, seat);
    return seat;
  }

  /** The page is gone, for now. */
  leave(seat: Seat): void {
    seat.leave(() => {
      this.forget(seat);
      seat.end();
    });
  }

  /** Another page may be here from now on. */
  forget(seat: Seat): void {
    const key = seatKey(seat);
    if (this.#seats.get(key) === seat) this.#seats.delete(key);
  }
}

/** What one connection may do: declare and withdraw pages, and answer the calls that were sent to it, and no others. */
export class PageConnection {
  readonly #service: PageService;
  readonly #caller: Caller;
  readonly #peer: PagePeer;
  readonly #seats = new Set<Seat>();
  #isClosed = false;

  constructor(service: PageService, caller: Caller, peer: PagePeer) {
    this.#service = service;
    this.#caller = caller;
    this.#peer = peer;
  }

  /** The names that models see. Calls that waited for this page are sent to it before this resolves. */
  declare(wanted: DeclareTools): Promise<{ readonly tools: readonly string[] }> {
    this.#tidy();
    if (this.#seats.size >= LIMITS.pagesPerConnection && ![...this.#seats].some((seat) => isAt(seat, wanted)))
      throw new Failure("limit_reached", `a connection may have ${LIMITS.pagesPerConnection} pages`);
    return this.#service.change(seatKey(wanted), async () => {
      const seat = await this.#service.take(this.#caller, this.#peer, wanted);
      this.#seats.add(seat);
      seat.arrive(this.#peer);
      if (this.#isClosed) this.#service.leave(seat);
      return { tools: wanted.tools.map(({ name }) => fullName(wanted.page, name)) };
    });
  }

  withdraw(wanted: WithdrawTools): Promise<object> {
    return this.#service.change(seatKey(wanted), async () => {
      const seat = this.#service.seat(seatKey(wanted));
      if (seat === undefined || seat.peer !== this.#peer)
        throw new Failure("not_found", `this connection has no page ${wanted.page} in ${wanted.session_id}`);
      seat.withdraw();
      this.#service.forget(seat);
      this.#tidy();
      return {};
    });
  }

  /** True for a call whose answer is waited for: such an answer was asked for, and is not counted. */
  awaits(call_id: string): boolean {
    return [...this.#seats].some((seat) => seat.awaits(this.#peer, call_id));
  }

  /** The first answer counts; for any other the page is told that nobody waits. */
  answer(answer: AnswerCall): void {
    if ([...this.#seats].some((seat) => seat.answer(this.#peer, answer))) return;
    this.#peer.say({ type: "tool.settled", call_id: answer.call_id, how: "late" });
  }

  /** An answer that is none: the call ends all the same. False: it was to no call of this connection. */
  garbled(call_id: string, why: string): boolean {
    return [...this.#seats].some((seat) => seat.garble(this.#peer, call_id, why));
  }

  close(): void {
    this.#isClosed = true;
    for (const seat of this.#seats) if (seat.peer === this.#peer) this.#service.leave(seat);
  }

  /** Seats that are not its own any more stay until the calls that it has begun there are over. */
  #tidy(): void {
    for (const seat of this.#seats)
      if (seat.idle && this.#service.seat(seatKey(seat)) !== seat) this.#seats.delete(seat);
  }
}

function seatKey({ session_id, page }: { readonly session_id: string; readonly page: string }): string {
  return `${session_id} ${page}`;
}

function isAt(seat: Seat, { session_id, page }: { readonly session_id: string; readonly page: string }): boolean {
  return seat.session_id === session_id && seat.page === page;
}
