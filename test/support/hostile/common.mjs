import { deep, deepObject, long, MIB, ODD, repeat } from "./parts.mjs";

/** Deterministic: the same seed gives the same figures. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A message as JSON text with some of its values replaced. */
function bent(message, roll) {
  const walk = (value) => {
    if (roll(6) === 0) return ODD[roll(ODD.length)];
    if (Array.isArray(value)) return `[${value.map(walk).join(",")}]`;
    if (typeof value === "object" && value !== null) {
      const fields = Object.entries(value).filter(() => roll(12) !== 0);
      const doubled = roll(12) === 0 && fields.length > 0 ? [...fields, fields[0]] : fields;
      return `{${doubled.map(([name, inner]) => `${JSON.stringify(name)}:${walk(inner)}`).join(",")}}`;
    }
    return JSON.stringify(value);
  };
  return `{${Object.entries(message)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${name === "method" || name === "type" || name === "jsonrpc" ? JSON.stringify(value) : walk(value)}`,
    )
    .join(",")}}`;
}

/** For every protocol. `messages`: one of each kind. `question`: a request of the program, as JSON text, with an id as JSON text. */
export const COMMON = {
  "nothing odd": function* () {},
  "junk between the lines": function* ({ line }) {
    for (const text of ["}{", "null", "[]", "1", '"x"', "{", '{"a":', "\u0000\u0001", "{}", '{"id":{}}', "\ufeff{}"])
      yield line(text);
  },
  "messages whose fields have other types": function* ({ line, messages }) {
    const roll = dice(20_261_119);
    for (let round = 0; round < 3_000; round += 1) for (const message of messages) yield line(bent(message, roll));
  },
  "a question with a deeply nested id": function* ({ line, question }) {
    yield line(question(deep));
    yield line(question(deepObject));
  },
  "questions with long ids, and nobody reads the answers": function* ({ line, question, deafen }) {
    deafen();
    yield* repeat(12, () => line(question(`"${long(16 * MIB)}"`)));
  },
  "a million questions, and nobody reads the answers": function* ({ line, question, deafen }) {
    deafen();
    yield* repeat(200, (index) =>
      Array.from({ length: 5_000 }, (_, at) => line(question(String(index * 5_000 + at)))).join(""),
    );
  },
  "answers to nobody": function* ({ line, answer }) {
    for (const id of ["0", "-1", "1e999", "null", '"1"', "{}", "[1]", "1", "1", "2"]) yield line(answer(id));
  },
};
