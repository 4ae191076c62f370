import { LIMITS, OutputText, type SessionView } from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import { journalOf } from "./journal.ts";
import type { ShownTexts } from "./shown.ts";

/** A place in an output where no item is open: whoever begins here needs nothing of what came before. */
export interface OutputPlace {
  /** The last event before it. */
  readonly seq: number;
  /** Bytes before it. */
  readonly offset: number;
  readonly atLineStart: boolean;
}

const BEGINNING: OutputPlace = { seq: 0, offset: 0, atLineStart: true };

/**
 * Some places of one output, in order. Those near its end are `mountPlaceEvents` events apart. Before them every second one is dropped
 * whenever there are too many, so that their number stays bounded.
 */
class OutputPlaces {
  #older: OutputPlace[] = [BEGINNING];
  #newer: OutputPlace[] = [];
  /** Events between two older ones, at least. */
  #apart: number = LIMITS.mountPlaceEvents;

  add(place: OutputPlace): void {
    if (place.seq - (this.#newer.at(-1)?.seq ?? 0) < LIMITS.mountPlaceEvents) return;
    this.#newer.push(place);
    const [first] = this.#newer;
    if (first === undefined || this.#newer.length <= LIMITS.mountPlacesNear) return;
    this.#newer.shift();
    if (first.seq - (this.#older.at(-1)?.seq ?? 0) < this.#apart) return;
    this.#older.push(first);
    if (this.#older.length <= LIMITS.mountPlacesFar) return;
    this.#older = this.#older.filter((_, index) => index % 2 === 0);
    this.#apart *= 2;
  }

  /** The last place for which that is so; it is so for all places before it. */
  last(isBefore: (place: OutputPlace) => boolean): OutputPlace {
    return this.#newer.findLast(isBefore) ?? this.#older.findLast(isBefore) ?? BEGINNING;
  }
}

/** One output, counted up to an event. */
interface IndexedOutput {
  seq: number;
  size: number;
  readonly output: OutputText;
  readonly places: OutputPlaces;
  /** Set while events are being counted. */
  settle: (item_id: string, text: string) => string;
}

/**
 * How long an output is, and where in the journal its bytes are. A journal is counted once: later questions count only what came since. The
 * length is of what is written down; a reader may be given a little more, never less.
 */
export class OutputIndex {
  readonly #gateway: Gateway;
  readonly #shown: ShownTexts;
  /** The one that was asked for longest ago is first. */
  readonly #outputs = new Map<string, Promise<IndexedOutput>>();

  constructor(gateway: Gateway, shown: ShownTexts) {
    this.#gateway = gateway;
    this.#shown = shown;
  }

  async size(caller: Caller, view: SessionView): Promise<number> {
    return (await this.#count(caller, view)).size;
  }

  /** Where to begin for what comes after an offset or an event. */
  async before(
    caller: Caller,
    view: SessionView,
    { offset = Infinity, seq = Infinity }: Partial<Pick<OutputPlace, "offset" | "seq">>,
  ): Promise<OutputPlace> {
    if (offset === 0 || seq === 0) return BEGINNING;
    return (await this.#count(caller, view)).places.last((place) => place.offset <= offset && place.seq <= seq);
  }

  /** One count of a session at a time; one that fails is begun anew by the next question. */
  #count(caller: Caller, view: SessionView): Promise<IndexedOutput> {
    const before = this.#outputs.get(view.id);
    const counting = (async () => this.#advance(caller, view, (await before?.catch(() => undefined)) ?? newOutput()))();
    this.#outputs.delete(view.id);
    this.#outputs.set(view.id, counting);
    counting.catch(() => {
      if (this.#outputs.get(view.id) === counting) this.#outputs.delete(view.id);
    });
    const [oldest] = this.#outputs.keys();
    if (oldest !== undefined && this.#outputs.size > LIMITS.mountOutputs) this.#outputs.delete(oldest);
    return counting;
  }

  async #advance(caller: Caller, { id, seq }: SessionView, indexed: IndexedOutput): Promise<IndexedOutput> {
    if (indexed.seq >= seq) return indexed;
    const session = await this.#shown.open(id);
    indexed.settle = (item_id, text) => session.settle(item_id, text);
    try {
      for await (const page of journalOf(this.#gateway, caller, { id, seq, from: indexed.seq }))
        for (const event of page) {
          indexed.size += Buffer.byteLength(indexed.output.next(event));
          indexed.seq = event.seq;
          const { isResting, atLineStart } = indexed.output;
          if (isResting) indexed.places.add({ seq: event.seq, offset: indexed.size, atLineStart });
        }
      return indexed;
    } finally {
      session.close();
    }
  }
}

function newOutput(): IndexedOutput {
  const indexed: IndexedOutput = {
    seq: 0,
    size: 0,
    output: new OutputText({ settle: (item_id, text) => indexed.settle(item_id, text) }),
    places: new OutputPlaces(),
    settle: (_item_id, text) => text,
  };
  return indexed;
}
