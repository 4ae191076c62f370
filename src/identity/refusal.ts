import { Failure, type AuthRefusalReason } from "../protocol/index.ts";

/** Somebody was not let in: an expected answer, not an exception. */
export interface AuthRefusal {
  readonly ok: false;
  readonly reason: AuthRefusalReason;
  /** For the one who asked; never holds a secret. */
  readonly message: string;
}

const MESSAGES: Readonly<Record<AuthRefusalReason, string>> = {
  malformed: "this is no response to a challenge: send challenge, signature, pubkey and tunnel_id",
  unknown_tunnel: "unknown tunnel: read auth/tunnels for those that there are",
  no_challenge: "no challenge is open: read auth/challenge first",
  challenge_mismatch: "challenge mismatch: answer the challenge that you read last",
  challenge_used: "this challenge was answered already: read a new one",
  challenge_expired: "the challenge has expired: read a new one",
  too_many_challenges: "too many challenges are open: try again in a few minutes",
  clock_skew: "the challenge's expiry cannot be right: set the clocks of both machines",
  wrong_tunnel: "the challenge is for another tunnel than the one that was asked",
  wrong_kind: "the tunnel wants another kind of authentication",
  agent_not_allowed: "agent not allowed: the tunnel's allowed_agents does not list this pubkey",
  invalid_signature: "invalid signature",
  not_loopback: "a tunnel without authentication works on this machine only: set auth to nostr or psk",
  secret_unusable: "the pre-shared key cannot be used here: an admin can see why with sallyport doctor",
};

export function refuseAuth(reason: AuthRefusalReason, message = MESSAGES[reason]): AuthRefusal {
  return { ok: false, reason, message };
}

/** The same as an exception of the public kind. */
export function failureOf({ reason, message }: AuthRefusal): Failure {
  switch (reason) {
    case "malformed":
      return new Failure("invalid_request", `invalid request: ${message}`, { reason });
    case "unknown_tunnel":
      return new Failure("not_found", message, { reason });
    case "no_challenge":
    case "challenge_mismatch":
    case "challenge_used":
    case "challenge_expired":
      return new Failure("conflict", message, { reason });
    case "too_many_challenges":
      return new Failure("rate_limited", message, { reason });
    case "clock_skew":
    case "wrong_tunnel":
    case "wrong_kind":
    case "agent_not_allowed":
    case "invalid_signature":
    case "not_loopback":
    case "secret_unusable":
      return new Failure("forbidden", message, { reason });
  }
}
