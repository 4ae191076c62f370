/** Seconds since the earliest of these times; 0: there is none. */
export function ageOf(times: readonly (number | undefined)[], now: number): number {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? 0 : Math.max(0, now - Math.min(...known)) / 1_000;
}
