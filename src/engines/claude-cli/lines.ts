import { StringDecoder } from "node:string_decoder";
import { LIMITS } from "../../protocol/index.ts";

/** Cuts a program's output into lines. Throws `OutputFailure` when a line, or all of it, is longer than anybody needs. */
export class LineReader {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  /** The line that has begun, in pieces: joining them at each chunk would cost the square of its length. */
  #pieces: string[] = [];
  #length = 0;
  #total = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    this.#total += text.length;
    if (this.#total > LIMITS.engineOutputChars)
      throw new OutputFailure(`it wrote more than ${LIMITS.engineOutputChars} characters`);
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      if (end === -1) break;
      this.#piece(text.slice(from, end));
      this.#flush();
      from = end + 1;
    }
    this.#piece(text.slice(from));
  }

  /** The last line may lack its end. */
  end(): void {
    this.#piece(this.#decoder.end());
    this.#flush();
  }

  #piece(text: string): void {
    if (text === "") return;
    this.#length += text.length;
    if (this.#length > LIMITS.engineLineChars)
      throw new OutputFailure(`it wrote a line of more than ${LIMITS.engineLineChars} characters`);
    this.#pieces.push(text);
  }

  #flush(): void {
    const line = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    if (line.trim() !== "") this.#onLine(line);
  }
}

/** What a program wrote cannot be taken. */
export class OutputFailure extends Error {}
