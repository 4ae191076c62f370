export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
  /** The user and group who makes files for this one and then gives them to it, if that is another. */
  readonly keeper?: number | undefined;
}

/** Of the range that systemd reserves for users that own nothing. */
const NOBODY_ELSE: SandboxUser = { uid: 61_184, gid: 61_184 };

/** Whom a server that runs as root becomes before it starts a sandbox; undefined: it stays who it is. */
export function sandboxUser(): SandboxUser | undefined {
  return process.getuid?.() === 0 ? NOBODY_ELSE : undefined;
}
