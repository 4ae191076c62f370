import { join } from "node:path";

/** The path length that every system's socket addresses allow, in bytes. */
const LONGEST_PATH = 103;

/** The supervisor's files in a home folder, which is private. */
export function placesIn(home: string): { readonly socket: string; readonly token: string; readonly isShort: boolean } {
  const socket = join(home, "supervisor.sock");
  return {
    socket,
    token: join(home, "supervisor.token"),
    isShort: Buffer.byteLength(socket) <= LONGEST_PATH,
  };
}
