/** `--quick`: every part of a benchmark for a moment, to see that it works. Its figures say nothing. */
export const isQuick = process.argv.includes("--quick");

/** A size of a benchmark: the one that it is measured with, and the smallest with which each part still runs. */
export function sized(whole, quick) {
  return isQuick ? quick : whole;
}
