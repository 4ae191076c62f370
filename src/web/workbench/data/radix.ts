const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/** Puts the values in the order of their keys, which are given from the least to the most significant. Equal ones keep their order. */
export function radixSort(order: Int32Array, keys: readonly Uint32Array[]): Int32Array<ArrayBuffer> {
  const { length } = order;
  let places: Int32Array<ArrayBuffer> = new Int32Array(length);
  for (let index = 0; index < length; index += 1) places[index] = index;
  let spare: Int32Array<ArrayBuffer> = new Int32Array(length);
  for (const key of keys) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      const starts = new Int32Array(DIGITS + 1);
      for (let index = 0; index < length; index += 1) {
        const digit = ((key[index] ?? 0) >>> shift) & (DIGITS - 1);
        starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
      }
      if (length > 0 && starts[(((key[0] ?? 0) >>> shift) & (DIGITS - 1)) + 1] === length) continue;
      for (let digit = 0; digit < DIGITS; digit += 1)
        starts[digit + 1] = (starts[digit + 1] ?? 0) + (starts[digit] ?? 0);
      for (let index = 0; index < length; index += 1) {
        const place = places[index] ?? 0;
        const digit = ((key[place] ?? 0) >>> shift) & (DIGITS - 1);
        const target = starts[digit] ?? 0;
        starts[digit] = target + 1;
        spare[target] = place;
      }
      [places, spare] = [spare, places];
    }
  }
  for (let index = 0; index < length; index += 1) spare[index] = order[places[index] ?? 0] ?? 0;
  return spare;
}
