import { Failure } from "../protocol/failure.ts";
import { PROTOCOL_HEADER, PROTOCOL_VERSION, speaksOurs } from "../protocol/version.ts";

/** The version header of our requests. */
export const OWN_VERSION = { [PROTOCOL_HEADER]: PROTOCOL_VERSION } as const;

/** Refuses an answer of a server with another major version: its meaning may differ. */
export function checkVersion({ headers }: Response): void {
  const theirs = headers.get(PROTOCOL_HEADER);
  if (theirs === null || speaksOurs(theirs)) return;
  throw new Failure(
    "protocol_mismatch",
    `the server speaks protocol ${theirs}, this client ${PROTOCOL_VERSION}: use the same version of both`,
  );
}
