import { vi } from "vitest";

const MOST_MS = 60_000;
const EVERY_MS = 10;

/** Waits until something holds of which nobody tells: it is asked again and again, with pauses that leave the machine to others. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(holds, { timeout: MOST_MS, interval: EVERY_MS });
}
