import pg from "pg";
import { LIMITS } from "../../protocol/index.ts";

const OID = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

/** The type of the members, by the type of the array. */
const ARRAYS: ReadonlyMap<number, number> = new Map([
  [1000, OID.bool],
  [1016, OID.int8],
  [1005, OID.int2],
  [1007, OID.int4],
  [1028, OID.oid],
  [199, OID.json],
  [1021, OID.float4],
  [1022, OID.float8],
  [1115, OID.timestamp],
  [1185, OID.timestamptz],
  [1231, OID.numeric],
  [3807, OID.jsonb],
  // text, varchar, char, name, uuid, date: as they are written
  [1009, 25],
  [1015, 25],
  [1014, 25],
  [1003, 25],
  [2951, 25],
  [1182, 25],
]);

/** Decimal digits that a JavaScript number keeps exactly. */
const EXACT_DIGITS = 15;

/** A value as JSON, from PostgreSQL's text form. Null is null. */
export function jsonOf(text: string | null, type: number): unknown {
  if (text === null) return null;
  const member = ARRAYS.get(type);
  if (member !== undefined) return arrayOf(text, member);
  switch (type) {
    case OID.bool:
      return text === "t";
    case OID.int2:
    case OID.int4:
    case OID.oid:
      return Number(text);
    case OID.float4:
    case OID.float8:
      return finite(text);
    case OID.int8:
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case OID.numeric:
      return text.replace(/^-?[0.]*|\./g, "").length <= EXACT_DIGITS ? finite(text) : text;
    case OID.json:
    case OID.jsonb:
      return parsed(text);
    case OID.timestamp:
      return text.replace(/^(\d{4,}-\d\d-\d\d) (\S+)$/, "$1T$2");
    case OID.timestamptz:
      return text.replace(
        /^(\d{4,}-\d\d-\d\d) (\S+?)([+-]\d\d(?::?\d\d)?)$/,
        (_whole, day: string, time: string, zone: string) =>
          `${day}T${time}${/^[+-]00(?::?00)?$/.test(zone) ? "Z" : zone}`,
      );
    default:
      return text;
  }
}

function finite(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** PostgreSQL has validated it; only what JavaScript's JSON cannot represent stays a text. */
function parsed(text: string): unknown {
  if (isDeep(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === '"') inString = !inString;
    else if (inString && mark === "\\") at += 1;
    else if (!inString && (mark === "[" || mark === "{")) depth += 1;
    else if (!inString && (mark === "]" || mark === "}")) depth -= 1;
    if (depth > LIMITS.connectionJsonDepth) return true;
  }
  return false;
}

function arrayOf(text: string, member: number): unknown {
  const parser = pg.types as unknown as {
    readonly arrayParser: {
      create(source: string, transform: (entry: string | null) => unknown): { parse(): unknown };
    };
  };
  // The driver does not understand arrays with explicit bounds.
  if (!text.startsWith("{")) return text;
  return parser.arrayParser.create(text, (entry) => jsonOf(entry, member)).parse();
}
