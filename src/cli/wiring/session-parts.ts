import type { ChosenBounds } from "../../sessions/index.ts";
import type { Settings } from "../settings/settings.ts";

/** What sessions take from the settings as it is. */
export function sessionParts(settings: Settings): {
  readonly startAhead: boolean;
  readonly userInstructions: string | undefined;
  readonly bounds: ChosenBounds;
} {
  return {
    startAhead: settings.startAhead.value,
    userInstructions: settings.userInstructions?.value,
    bounds: {
      idempotencyMs: settings.idempotencySeconds.value * 1_000,
      clientSessions: settings.clientSessions.value,
      challengeMs: settings.challengeSeconds.value * 1_000,
    },
  };
}
