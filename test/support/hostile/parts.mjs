// What the attacks of all protocols are made of.

const DEEP = 200_000;
export const deep = `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`;
export const deepObject = `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`;
export const long = (bytes) => "x".repeat(bytes);
export const MIB = 1_048_576;

export function* repeat(count, make) {
  for (let index = 0; index < count; index += 1) yield make(index);
}

/** Values of each type, and some that look like something else. */
export const ODD = [
  "null",
  "true",
  "0",
  "-1",
  "1e308",
  "1e999",
  "0.5",
  '""',
  '"x"',
  '"\\ud83d"',
  '"\\udc00x"',
  '"__proto__"',
  '"constructor"',
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":2}',
  '{"length":1e9}',
  '{"then":1}',
  `"${"y".repeat(5_000)}"`,
];
