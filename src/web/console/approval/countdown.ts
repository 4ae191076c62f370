const SECOND = 1_000;
const MINUTE = 60;
const HOUR = 3_600;

/** How long it can still be answered. `expiresAt` absent: parked, without a limit. */
export function remainingWords(expiresAt: string | undefined, now: number): string {
  if (expiresAt === undefined) return "no time limit";
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / SECOND);
  if (seconds <= 0) return "time is up";
  return seconds >= MINUTE && seconds < HOUR ? `${clock(seconds)} left` : `${spanWords(seconds)} left`;
}

/** "4:51" */
function clock(seconds: number): string {
  return `${String(Math.floor(seconds / MINUTE))}:${String(seconds % MINUTE).padStart(2, "0")}`;
}

function spanWords(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${seconds % MINUTE} s`;
  return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
}

/** Only seconds are left: the text gets a colour. */
export function isUrgent(expiresAt: string | undefined, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) - now < MINUTE * SECOND;
}
