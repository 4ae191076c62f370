import type { EnvironmentRequest } from "../dependencies.ts";
import type { Session } from "../core/session.ts";
import { filesOfServers } from "../mcp/definitions.ts";
import { presentProfile } from "../permission/effective-profile.ts";
import { NetworkQuestions } from "../permission/network-questions.ts";

/** What a session's environment depends on. */
export function environmentRequest(session: Session, signal: AbortSignal): EnvironmentRequest {
  const { dependencies, state } = session;
  const questions = new NetworkQuestions(session);
  return {
    session_id: state.id,
    settings: state.settings,
    policy: dependencies.policy(),
    serverFiles: filesOfServers(session),
    egressHosts: () => presentProfile(dependencies.policy(), session.state)?.egress_hosts ?? [],
    browserAbilities: () => presentProfile(dependencies.policy(), session.state)?.browser ?? ["downloads"],
    askHost: (target, signal) => questions.ask(target, signal),
    worker: () => dependencies.workers.pinOf(session.state),
    signal,
    notice: (message) => void session.execute({ type: "notice", message }).catch(() => undefined),
  };
}
