import { describe, expect, it } from "vitest";
import {
  answerHead,
  attributesAnswer,
  entryAnswer,
  folderAnswer,
  forgetNameNotice,
  initAnswer,
  openAnswer,
  statfsAnswer,
  writeAnswer,
} from "../../src/fuse/answers.ts";
import { decodeRequest, OPCODE, requestBytes, type RequestBody } from "../../src/fuse/wire.ts";

type Field = readonly [width: 2 | 4 | 8, value: number] | string;

/** Fields one after the other as the kernel lays them out; texts end with a zero. */
function bytes(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map((field) => {
      if (typeof field === "string") return Buffer.from(`${field}\0`);
      const [width, value] = field;
      const out = Buffer.alloc(width);
      if (width === 8) out.writeBigUInt64LE(BigInt(value));
      else out.writeUIntLE(value, 0, width);
      return out;
    }),
  );
}

function request(opcode: number, body: Buffer): Buffer {
  const head = bytes([4, 40 + body.length], [4, opcode], [8, 77], [8, 5], [4, 1_000], [4, 100], [4, 4_321], [4, 0]);
  return Buffer.concat([head, body]);
}

describe("requests of the kernel", () => {
  const cases: readonly (readonly [name: keyof typeof OPCODE | number, body: Buffer, expected: RequestBody])[] = [
    [
      "INIT",
      bytes([4, 7], [4, 41], [4, 131_072], [4, 0x8f]),
      { is: "init", major: 7, minor: 41, maxReadahead: 131_072, flags: 0x8f, flags2: 0 },
    ],
    [
      "INIT",
      bytes([4, 7], [4, 41], [4, 131_072], [4, 0x8f], [4, 0x10], [4, 0]),
      { is: "init", major: 7, minor: 41, maxReadahead: 131_072, flags: 0x8f, flags2: 0x10 },
    ],
    ["LOOKUP", bytes("stätus"), { is: "lookup", name: "stätus" }],
    ["FORGET", bytes([8, 3]), { is: "forget", forgets: [{ node: 5, lookups: 3 }] }],
    [
      "BATCH_FORGET",
      bytes([4, 2], [4, 0], [8, 8], [8, 1], [8, 9], [8, 4]),
      {
        is: "forget",
        forgets: [
          { node: 8, lookups: 1 },
          { node: 9, lookups: 4 },
        ],
      },
    ],
    ["GETATTR", bytes([4, 0], [4, 0], [8, 0]), { is: "attributes" }],
    ["GETATTR", bytes([4, 1], [4, 0], [8, 12]), { is: "attributes", handle: 12 }],
    ["SETATTR", bytes([4, 8], [4, 0], [8, 0], [8, 0], [8, 0]), { is: "change", size: 0 }],
    ["SETATTR", bytes([4, 1], [4, 0], [8, 0], [8, 0], [8, 0]), { is: "change" }],
    ["OPEN", bytes([4, 0o1001], [4, 0]), { is: "open", folder: false, flags: 0o1001 }],
    ["OPENDIR", bytes([4, 0], [4, 0]), { is: "open", folder: true, flags: 0 }],
    [
      "READ",
      bytes([8, 3], [8, 4_096], [4, 8_192], [4, 0], [8, 0], [4, 0o4000], [4, 0]),
      { is: "read", folder: false, handle: 3, offset: 4_096, size: 8_192, flags: 0o4000 },
    ],
    [
      "READDIR",
      bytes([8, 3], [8, 2], [4, 4_096], [4, 0], [8, 0], [4, 0], [4, 0]),
      { is: "read", folder: true, handle: 3, offset: 2, size: 4_096, flags: 0 },
    ],
    [
      "WRITE",
      bytes([8, 3], [8, 10], [4, 3], [4, 0], [8, 0], [4, 1], [4, 0], "ab"),
      { is: "write", handle: 3, offset: 10, data: Buffer.from("ab\0") },
    ],
    ["FLUSH", bytes([8, 3], [4, 0], [4, 0], [8, 0]), { is: "flush", handle: 3 }],
    ["FSYNC", bytes([8, 3], [4, 0], [4, 0]), { is: "sync", handle: 3 }],
    ["FSYNCDIR", bytes([8, 3], [4, 0], [4, 0]), { is: "sync", handle: 3 }],
    ["RELEASE", bytes([8, 3], [4, 0], [4, 0], [8, 0]), { is: "release", handle: 3 }],
    ["RELEASEDIR", bytes([8, 3], [4, 0], [4, 0], [8, 0]), { is: "release", handle: 3 }],
    ["STATFS", Buffer.alloc(0), { is: "statfs" }],
    ["ACCESS", bytes([4, 4], [4, 0]), { is: "access", mask: 4 }],
    ["INTERRUPT", bytes([8, 76]), { is: "interrupt", target: 76n }],
    ["DESTROY", Buffer.alloc(0), { is: "destroy" }],
    ["MKDIR", bytes([4, 0o755], [4, 0], "made"), { is: "alter" }],
    ["RENAME2", bytes([8, 1], [4, 0], [4, 0], "a", "b"), { is: "alter" }],
    [22, bytes([4, 0], [4, 0], "user.x"), { is: "unknown" }],
  ];

  it.each(cases)("%s", (name, body, expected) => {
    const opcode = typeof name === "number" ? name : OPCODE[name];
    expect(decodeRequest(request(opcode, body))).toEqual({
      head: { opcode, unique: 77n, node: 5, uid: 1_000, pid: 4_321 },
      body: expected,
    });
  });

  const broken: readonly (readonly [what: string, bytes: Buffer])[] = [
    ["no head", Buffer.alloc(39)],
    ["a length that is not its own", Buffer.concat([request(OPCODE.STATFS, Buffer.alloc(0)), Buffer.alloc(1)])],
    ["a body that is cut", request(OPCODE.READ, Buffer.alloc(8))],
    ["a write of more than came", request(OPCODE.WRITE, bytes([8, 3], [8, 0], [4, 9], [4, 0], [8, 0], [4, 0], [4, 0]))],
    ["more forgets than came", request(OPCODE.BATCH_FORGET, bytes([4, 1_000_000], [4, 0]))],
  ];
  it.each(broken)("refuses %s", (_, message) => {
    expect(() => decodeRequest(message)).toThrow(RangeError);
  });

  it("copies what is written, so that the buffer can be used again", () => {
    const message = request(OPCODE.WRITE, bytes([8, 3], [8, 0], [4, 2], [4, 0], [8, 0], [4, 0], [4, 0], "ab"));
    const { body } = decodeRequest(message);
    message.fill(0);
    expect(body).toMatchObject({ data: Buffer.from("ab") });
  });

  it("asks for a buffer that the kernel accepts", () => {
    expect([requestBytes(0), requestBytes(131_072)]).toEqual([8_192, 131_152]);
  });
});

describe("answers to the kernel", () => {
  const attributes = { folder: false, permissions: 0o600, size: 1_025, modified: 1_700_000_000_123 };
  const owner = { uid: 7, gid: 8 };
  const inode: readonly Field[] = [
    [8, 9],
    [8, 1_025],
    [8, 3],
    [8, 1_700_000_000],
    [8, 1_700_000_000],
    [8, 1_700_000_000],
    [4, 123_000_000],
    [4, 123_000_000],
    [4, 123_000_000],
    [4, 0o100_600],
    [4, 1],
    [4, 7],
    [4, 8],
    [4, 0],
    [4, 4_096],
    [4, 0],
  ];
  const zero64: Field = [8, 0];
  const cases: readonly (readonly [name: string, answer: Buffer, expected: Buffer])[] = [
    ["head", answerHead(77n, 0, 8), bytes([4, 24], [4, 0], [8, 77])],
    ["head of a failure", answerHead(77n, 2, 0), bytes([4, 16], [4, 2 ** 32 - 2], [8, 77])],
    [
      "entry, not to be remembered",
      entryAnswer(9, attributes, owner),
      bytes([8, 9], zero64, zero64, zero64, zero64, ...inode),
    ],
    ["attributes, not to be remembered", attributesAnswer(9, attributes, owner), bytes(zero64, zero64, ...inode)],
    ["open", openAnswer(4, 5), bytes([8, 4], [4, 5], [4, 0])],
    ["write", writeAnswer(300), bytes([4, 300], [4, 0])],
    [
      "init",
      initAnswer({ minor: 31, maxReadahead: 9, flags: 8, flags2: 16, maxBackground: 16, maxWrite: 131_072 }),
      Buffer.concat([
        bytes(
          [4, 7],
          [4, 31],
          [4, 9],
          [4, 8],
          [2, 16],
          [2, 12],
          [4, 131_072],
          [4, 1_000_000],
          [2, 32],
          [2, 0],
          [4, 16],
        ),
        Buffer.alloc(28),
      ]),
    ],
    [
      "statfs",
      statfsAnswer(100),
      Buffer.concat([
        bytes(zero64, zero64, zero64, [8, 100], zero64, [4, 4_096], [4, 255], [4, 4_096]),
        Buffer.alloc(28),
      ]),
    ],
    [
      "a name to be dropped",
      forgetNameNotice({ parent: 3, name: "ab" }),
      bytes([4, 35], [4, 3], [8, 0], [8, 3], [4, 2], [4, 0], "ab"),
    ],
    [
      "folder",
      folderAnswer(
        [
          { name: "a", folder: true },
          { name: "b", folder: false },
        ],
        0,
        4_096,
      ),
      Buffer.concat([
        bytes([8, 2], [8, 1], [4, 1], [4, 4], "a"),
        Buffer.alloc(6),
        bytes([8, 3], [8, 2], [4, 1], [4, 8], "b"),
        Buffer.alloc(6),
      ]),
    ],
  ];
  it.each(cases)("%s", (_, answer, expected) => {
    expect(answer.toString("hex")).toBe(expected.toString("hex"));
  });

  it("gives a folder in parts that fit, and nothing at its end", () => {
    const entries = ["a", "b", "c"].map((name) => ({ name, folder: false }));
    const sizes = [0, 1, 2, 3, 4].map((offset) => folderAnswer(entries, offset, 70).length);
    expect(sizes).toEqual([64, 64, 32, 0, 0]);
  });
});
