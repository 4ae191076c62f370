/** The wire contract's version: sent in the handshake of every surface; a client with another major number is refused. */
export const PROTOCOL_VERSION = "1.0";
