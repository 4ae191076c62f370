import { z } from "zod";
import { Failure } from "../../protocol/failure.ts";
import { LIMITS } from "../../protocol/limits.ts";

/** Raised when a message changes: a server of another version cannot take up what this one holds. */
export const SUPERVISOR_VERSION = 1;

const Variables = z.record(z.string(), z.string());
const Paths = z.array(z.string());

/** Where a held program runs. The fields of `bubblewrap` are those of `SandboxRequest`. */
export const HeldPlace = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("local"),
    home: z.string(),
    memoryBytes: z.number().optional(),
    environment: Variables,
  }),
  z.strictObject({
    kind: z.literal("bubblewrap"),
    request: z.strictObject({
      sessionId: z.string(),
      workspace: z.string(),
      readable: Paths,
      writable: Paths,
      hidden: Paths,
      folder: z.string(),
      forwards: z.array(z.strictObject({ port: z.number(), socket: z.string() })),
      environment: Variables,
      memoryBytes: z.number().optional(),
      processes: z.number().optional(),
    }),
  }),
]);
export type HeldPlace = z.infer<typeof HeldPlace>;

const HeldProgramRequest = z.strictObject({
  session_id: z.string(),
  place: HeldPlace,
  argv: z.tuple([z.string()], z.string()),
  cwd: z.string(),
  env: Variables,
  /** The session's key to the model proxy: whoever takes the program up opens it again. */
  key: z.string(),
  /** For whoever takes the program up. */
  note: z.string(),
});
export type HeldProgramRequest = z.infer<typeof HeldProgramRequest>;

/** What a server says. The first message of a connection is `hello`; `open` or `attach` make it the connection of one program. */
export const SupervisorRequest = z.discriminatedUnion("type", [
  /** `seconds`: how long programs are held without a server. Absent: this is no server, it only looks. */
  z.strictObject({
    type: z.literal("hello"),
    version: z.number(),
    token: z.string(),
    seconds: z.number().optional(),
  }),
  z.strictObject({ type: z.literal("open"), program: HeldProgramRequest }),
  z.strictObject({ type: z.literal("attach"), id: z.string() }),
  /** `key`: written once, however often it is sent. `begin`: a turn begins; what came before is no longer needed. */
  z.strictObject({
    type: z.literal("write"),
    text: z.string(),
    key: z.string().optional(),
    begin: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("note"), key: z.string(), text: z.string() }),
  /** Nobody will take up the open turn. */
  z.strictObject({ type: z.literal("forfeit") }),
  z.strictObject({ type: z.literal("end_input") }),
  z.strictObject({ type: z.literal("signal"), name: z.enum(["SIGINT", "SIGTERM", "SIGKILL"]) }),
  z.strictObject({ type: z.literal("kill"), grace_ms: z.number() }),
  /** Ends everything, the supervisor included. */
  z.strictObject({ type: z.literal("stop") }),
]);
export type SupervisorRequest = z.infer<typeof SupervisorRequest>;

/** A program that is held. `turn` is empty where it cannot be taken up in the middle of one. */
const HeldView = z.object({
  id: z.string(),
  session_id: z.string(),
  turn: z.string(),
  key: z.string(),
  note: z.string(),
  /** The folder of its sandbox's sockets; absent: it has none. */
  folder: z.string().optional(),
  pid: z.number(),
});
export type HeldView = z.infer<typeof HeldView>;

export const SupervisorReport = z.discriminatedUnion("type", [
  z.object({ type: z.literal("welcome"), version: z.number(), pid: z.number(), held: z.array(HeldView) }),
  z.object({ type: z.literal("opened"), pid: z.number() }),
  z.object({ type: z.literal("refused"), message: z.string() }),
  z.object({
    type: z.literal("attached"),
    written: z.array(z.string()),
    notes: z.array(z.tuple([z.string(), z.string()])),
  }),
  z.object({
    type: z.literal("exit"),
    code: z.number().nullable(),
    signal: z.string().nullable(),
    reason: z.string().optional(),
  }),
  z.object({ type: z.literal("gone") }),
]);
export type SupervisorReport = z.infer<typeof SupervisorReport>;

/** The kinds of frames. An output without bytes is its end. */
export const FRAMES = { message: 0, stdout: 1, stderr: 2 } as const;
type FrameKind = (typeof FRAMES)[keyof typeof FRAMES];

/** Length of what follows, 4 bytes; kind, 1 byte. */
const HEADER_BYTES = 5;

export function encodeFrame(kind: FrameKind, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt32BE(payload.length, 0);
  frame.writeUInt8(kind, HEADER_BYTES - 1);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

export function encodeMessage(message: SupervisorRequest | SupervisorReport): Buffer {
  return encodeFrame(FRAMES.message, Buffer.from(JSON.stringify(message)));
}

/** Cuts a stream of bytes into frames. One past the bound is a Failure: its writer is not one of ours. */
export class FrameReader {
  readonly #onFrame: (kind: number, payload: Buffer) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(onFrame: (kind: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  take(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted()) return;
    let rest = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces);
    for (let bytes = frameBytes(rest); bytes !== undefined && rest.length >= bytes; bytes = frameBytes(rest)) {
      this.#onFrame(rest.readUInt8(HEADER_BYTES - 1), rest.subarray(HEADER_BYTES, bytes));
      rest = rest.subarray(bytes);
    }
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }

  /** Bytes of the frame that has begun, so that its pieces are joined once. */
  #wanted(): number {
    const [first] = this.#pieces;
    return (first === undefined ? undefined : frameBytes(first)) ?? 0;
  }
}

/** Undefined: its length is not known yet. */
function frameBytes(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length > LIMITS.supervisorFrameBytes) throw new Failure("internal", "A frame of the supervisor is too large.");
  return HEADER_BYTES + length;
}

/** Throws for anything that is no message of ours. */
export function readMessage<Schema extends z.ZodType>(schema: Schema, payload: Buffer): z.infer<Schema> {
  return schema.parse(JSON.parse(payload.toString("utf8")));
}
