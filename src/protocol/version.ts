/** The version of `/api/ws` and of the API that the command line uses; a client with another major number is refused. */
export const PROTOCOL_VERSION = "1.0";

/** The header in which clients and the server exchange their version. */
export const PROTOCOL_HEADER = "sallyport-protocol";

/** Whether a peer with this version is compatible: the major number is the same. */
export function speaksOurs(protocol: string): boolean {
  return protocol.split(".")[0] === PROTOCOL_VERSION.split(".")[0];
}
