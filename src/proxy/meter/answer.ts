import { LIMITS } from "../../protocol/index.ts";
import { Gather } from "./gather.ts";
import type { Meter, MeterEnd } from "./meter.ts";
import { parseFields, MeterTally, type UsageFields } from "./tally.ts";

/** Reads the usage of a JSON answer once all of it has arrived. */
export class AnswerMeter implements Meter {
  readonly tally = new MeterTally();
  readonly began = true;
  end: MeterEnd | undefined = undefined;
  readonly #read: (answer: UsageFields, tally: MeterTally) => void;
  readonly #body = new Gather(LIMITS.proxyAnswerBytes);
  /** Bytes still to come; undefined: the provider does not say. */
  #missing: number | undefined;
  #whole = true;

  constructor(read: (answer: UsageFields, tally: MeterTally) => void, length: number | undefined) {
    this.#read = read;
    this.#missing = length;
  }

  feed(piece: Buffer): Buffer {
    this.#whole &&= this.#body.add(piece);
    if (this.#missing !== undefined) {
      this.#missing -= piece.length;
      if (this.#missing <= 0) this.finish();
    }
    return piece;
  }

  finish(): undefined {
    if (this.end !== undefined) return;
    this.end = "completed";
    const answer = this.#whole ? parseFields(this.#body.take()) : undefined;
    if (answer !== undefined) this.#read(answer, this.tally);
  }
}
