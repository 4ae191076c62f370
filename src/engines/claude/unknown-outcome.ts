import { list, parsedJson, record, text, type VendorFields } from "../vendor/fields.ts";

/** A turn that a dead process left open, according to our journal. */
export interface LeftTurn {
  /** The vendor's id of its prompt. */
  readonly prompt: string;
  /** Calls that ended according to the journal. */
  readonly done: ReadonlySet<string>;
}

/** What a message of the vendor's record says about the open turn. */
interface Tidings {
  /** Calls with a result. */
  readonly results: readonly string[];
  /** Texts of the model. */
  readonly said: readonly string[];
}

/** What is read of a message. */
interface RecordedMessage {
  readonly uuid: string;
  readonly parentUuid: string;
  readonly isSidechain: boolean;
  readonly role: unknown;
  readonly blocks: readonly VendorFields[];
}

const NO_TIDINGS: Tidings = { results: [], said: [] };

/**
 * Reads the messages of a record in order and finds those that cannot be true. A process whose server died continues for a moment.
 * Nobody answers it, so it invents results for its calls, such as a refusal by a person. In the open turn, only results that the
 * journal confirms are trusted.
 */
export class UnknownOutcome {
  readonly #open: LeftTurn | undefined;
  readonly #cut = new Set<string>();
  #begun = false;
  #doubted = false;

  /** Without an open turn there is nothing to doubt. */
  constructor(open: LeftTurn | undefined) {
    this.#open = open;
  }

  /** Whether anything was found. */
  get doubted(): boolean {
    return this.#doubted;
  }

  /** Undefined: the message is not trusted, or follows from one that is not. */
  read(line: string): Tidings | undefined {
    if (this.#open === undefined) return NO_TIDINGS;
    if (!this.#begun) {
      this.#begun = isMessage(line, this.#open.prompt);
      return NO_TIDINGS;
    }
    const { uuid, parentUuid, isSidechain, role, blocks } = parse(line);
    // A sub-agent's own messages are not part of the conversation.
    if (isSidechain) return NO_TIDINGS;
    const results = blocks.flatMap(({ type, tool_use_id }) =>
      type === "tool_result" ? [text(tool_use_id) ?? ""] : [],
    );
    const { done } = this.#open;
    const invented = results.some((id) => !done.has(id));
    // The other results for the same message of the model remain valid.
    const follows = this.#doubted && (results.length === 0 || this.#cut.has(parentUuid));
    if (invented || follows) {
      this.#doubted = true;
      this.#cut.add(uuid);
      return undefined;
    }
    const texts = blocks.flatMap((block) => (block["type"] === "text" ? [(text(block["text"]) ?? "").trim()] : []));
    return { results, said: role === "assistant" ? texts : [] };
  }
}

/** Whether a line is the message with this id, and complete. */
export function isMessage(line: string, uuid: string): boolean {
  return line.includes(`"uuid":"${uuid}"`) && line.endsWith("}");
}

/** Empty for a broken line. */
function parse(line: string): RecordedMessage {
  const fields = record(parsedJson(line));
  const { role, content } = record(fields["message"]);
  return {
    uuid: text(fields["uuid"]) ?? "",
    parentUuid: text(fields["parentUuid"]) ?? "",
    isSidechain: fields["isSidechain"] === true,
    role,
    blocks: list(content).map(record),
  };
}
