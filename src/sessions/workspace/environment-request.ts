import type { EnvironmentRequest } from "../dependencies.ts";
import type { Session } from "../core/session.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";

/** What a session's environment depends on. */
export function environmentRequest(session: Session): EnvironmentRequest {
  const { dependencies, state } = session;
  return {
    session_id: state.id,
    settings: state.settings,
    policy: dependencies.policy(),
    egressHosts: () => effectiveProfile(dependencies.policy(), session.state).egress_hosts ?? [],
    notice: (message) => void session.execute({ type: "notice", message }).catch(() => undefined),
  };
}
