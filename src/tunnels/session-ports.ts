import { TunnelMessage } from "../protocol/index.ts";
import type { TunnelLink } from "./link.ts";

/** What a participant of a session at the other end is told. */
export interface SessionPortEvents {
  message(message: TunnelMessage): void;
  /** A new link replaced one that ended: messages of the old one may be lost. */
  linked(): void;
  /** The link has ended, and there is no new one yet. */
  lost(reason: string): void;
}

/** One session at the other end of a tunnel. */
export interface SessionPort {
  /** While there is no link nothing is sent. */
  send(message: TunnelMessage): void;
  close(): void;
}

interface OpenPorts {
  link: TunnelLink | undefined;
  /** A turn that waits for its bill and the next turn can have one each. */
  readonly bySession: Map<string, Set<SessionPortEvents>>;
}

/** Document 003's messages of each tunnel, given to the sessions that they name. */
export class SessionPorts {
  readonly #tunnels = new Map<string, OpenPorts>();
  readonly #listeners: ((id: string) => void)[] = [];

  open(id: string, session_id: string, events: SessionPortEvents): SessionPort {
    const open = this.#of(id);
    const ports = open.bySession.get(session_id) ?? new Set();
    open.bySession.set(session_id, ports.add(events));
    return {
      send: (message) => open.link?.send(message),
      close: () => {
        ports.delete(events);
        if (ports.size === 0 && open.bySession.get(session_id) === ports) open.bySession.delete(session_id);
      },
    };
  }

  onLinked(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  linked(id: string, link: TunnelLink): void {
    const open = this.#of(id);
    open.link = link;
    for (const events of all(open)) events.linked();
    for (const listener of this.#listeners) listener(id);
  }

  lost(id: string, link: TunnelLink, reason: string): void {
    const open = this.#of(id);
    if (open.link !== link) return;
    open.link = undefined;
    for (const events of all(open)) events.lost(reason);
  }

  /** A message without a session goes to all of them. Anything that is not a message, or is for nobody, is dropped. */
  take(id: string, text: string): void {
    const message = parsed(text);
    if (message === undefined) return;
    const open = this.#of(id);
    const meant = message.session_id === "" ? all(open) : [...(open.bySession.get(message.session_id) ?? [])];
    for (const events of meant) events.message(message);
  }

  #of(id: string): OpenPorts {
    const known = this.#tunnels.get(id) ?? { link: undefined, bySession: new Map<string, Set<SessionPortEvents>>() };
    this.#tunnels.set(id, known);
    return known;
  }
}

function all({ bySession }: OpenPorts): readonly SessionPortEvents[] {
  const found: SessionPortEvents[] = [];
  for (const events of bySession.values()) found.push(...events);
  return found;
}

function parsed(text: string): TunnelMessage | undefined {
  try {
    return TunnelMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
