import { fileURLToPath } from "node:url";

type Command = readonly string[];

const INSIDE = fileURLToPath(new URL("../../inside/multiplexer-inside.mjs", import.meta.url));
const OUTSIDE = fileURLToPath(new URL("../../inside/multiplexer-outside.mjs", import.meta.url));

/** The command lines of both ends, around those that they start. */
export interface MultiplexerEnds {
  inside(command: Command): Command;
  outside(command: Command): Command;
}

/** Where sockets cannot be shared. */
export function multiplexerEnds(sockets: readonly string[]): MultiplexerEnds {
  const end = (program: string, command: Command): Command => [
    process.execPath,
    program,
    JSON.stringify(sockets),
    ...command,
  ];
  return {
    inside: (command: Command) => end(INSIDE, command),
    outside: (command: Command) => end(OUTSIDE, command),
  };
}
