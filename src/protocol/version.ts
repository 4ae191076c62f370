/** The version of `/api/ws` and of the API that the command line uses; a client with another major number is refused. */
export const PROTOCOL_VERSION = "1.0";
