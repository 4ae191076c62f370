/** Big counts run whole in `npm run soak`. Every day a part of them is run, always the same. */
export const isFullRun = process.env["SALLYPORT_TESTS"] === "full";

/** All rows in a full run; else so many of them, spread evenly from the first on. */
export function sample<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (isFullRun || rows.length <= count) return rows;
  return rows.filter(
    (_, index) => Math.floor((index * count) / rows.length) !== Math.floor(((index - 1) * count) / rows.length),
  );
}
