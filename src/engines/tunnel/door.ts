import type { Failure, TunnelMessage } from "../../protocol/index.ts";

/** What a turn hears of its session at home. */
interface HomeEars {
  message(message: TunnelMessage): void;
  /** A new link took the place of one that ended: what went over that one may be lost. */
  linked(): void;
  /** The link has ended, and there is no other yet. */
  lost(reason: string): void;
}

export interface HomePort {
  /** Nothing is sent while there is no link. */
  send(message: TunnelMessage): void;
  close(): void;
}

/** The way to the machines at the other ends of tunnels. */
export interface HomeDoor {
  /** Resolves when there is a link; rejects with what is wrong. `provider`: `tunnel:` and the tunnel's id. */
  open(provider: string, session_id: string, ears: HomeEars): Promise<HomePort>;
  /** Whether there is any tunnel. */
  hasTunnels(): boolean;
  /** Why no session can run there; undefined: it can, or that is not known yet. */
  refusal(provider: string): Failure | undefined;
}
