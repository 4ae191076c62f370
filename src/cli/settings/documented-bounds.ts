import { LIMITS } from "../../protocol/index.ts";
import type { FileSettings } from "./file.ts";
import type { Setting } from "./settings.ts";
import { countOf, type Environment } from "./values.ts";

/** Bounds that the documents name and an operator may change. */
export interface DocumentedBounds {
  /** How long the answer to a command with an idempotency key is kept. */
  readonly idempotencySeconds: Setting<number>;
  /** Document 000's client sessions that are remembered for one principal. */
  readonly clientSessions: Setting<number>;
  /** How long a tunnel's challenge can be answered. */
  readonly challengeSeconds: Setting<number>;
}

export function documentedBounds(environment: Environment, file: FileSettings): DocumentedBounds {
  const chosen = (
    variable: string,
    bounds: { readonly least: number; readonly most: number },
    { ofFile, usual }: { readonly ofFile: number | undefined; readonly usual: number },
  ): Setting<number> => {
    const given = countOf(variable, environment, bounds);
    if (given !== undefined) return { value: given, origin: "environment" };
    return ofFile === undefined ? { value: usual, origin: "default" } : { value: ofFile, origin: "file" };
  };
  return {
    idempotencySeconds: chosen(
      "SALLYPORT_IDEMPOTENCY_SECONDS",
      { least: LIMITS.idempotencyLeastS, most: LIMITS.idempotencyMostS },
      { ofFile: file.idempotency_seconds, usual: LIMITS.idempotencyTtlMs / 1_000 },
    ),
    clientSessions: chosen(
      "SALLYPORT_CLIENT_SESSIONS",
      { least: 1, most: LIMITS.clientSessionsMost },
      { ofFile: file.client_sessions, usual: LIMITS.clientSessions },
    ),
    challengeSeconds: chosen(
      "SALLYPORT_CHALLENGE_SECONDS",
      { least: LIMITS.challengeLeastS, most: LIMITS.challengeMostS },
      { ofFile: file.challenge_seconds, usual: LIMITS.challengeMs / 1_000 },
    ),
  };
}
