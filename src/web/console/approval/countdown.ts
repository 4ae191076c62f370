const SECOND = 1_000;
const MINUTE = 60;
const HOUR = 3_600;

/** How long somebody can still answer. `expiresAt` absent: parked, without end. */
export function remainingWords(expiresAt: string | undefined, now: number): string {
  if (expiresAt === undefined) return "waits without end";
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / SECOND);
  return seconds <= 0 ? "time is up" : `${spanWords(seconds)} left`;
}

/** "3 s ago": for what happened a moment ago, where minutes would be too coarse. */
export function agoWords(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / SECOND));
  return seconds === 0 ? "just now" : `${spanWords(seconds)} ago`;
}

function spanWords(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${seconds % MINUTE} s`;
  return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
}

/** Few seconds are left: the words get a colour. */
export function isUrgent(expiresAt: string | undefined, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) - now < MINUTE * SECOND;
}
