import { t } from "../../ui/language/t.ts";

const SECOND = 1_000;
const MINUTE = 60;
const HOUR = 3_600;

/** How long it can still be answered. `expiresAt` absent: parked, without a limit. */
export function remainingWords(expiresAt: string | undefined, now: number): string {
  if (expiresAt === undefined) return t("no time limit");
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / SECOND);
  if (seconds <= 0) return t("time is up");
  return seconds >= MINUTE && seconds < HOUR
    ? t("{time} left", { time: clock(seconds) })
    : t("{time} left", { time: spanWords(seconds) });
}

/** "4:51" */
function clock(seconds: number): string {
  return `${String(Math.floor(seconds / MINUTE))}:${String(seconds % MINUTE).padStart(2, "0")}`;
}

function spanWords(seconds: number): string {
  if (seconds < MINUTE) return t("{seconds} s", { seconds });
  if (seconds < HOUR)
    return t("{minutes} min {seconds} s", { minutes: Math.floor(seconds / MINUTE), seconds: seconds % MINUTE });
  return t("{hours} h {minutes} min", {
    hours: Math.floor(seconds / HOUR),
    minutes: Math.floor((seconds % HOUR) / MINUTE),
  });
}

/** Only seconds are left: the text gets a colour. */
export function isUrgent(expiresAt: string | undefined, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) - now < MINUTE * SECOND;
}
