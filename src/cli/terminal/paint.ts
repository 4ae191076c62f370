import picocolors from "picocolors";
import type { Environment } from "../settings/settings.ts";

export type Paint = ReturnType<typeof picocolors.createColors>;

/** Colours if a person is watching: NO_COLOR and FORCE_COLOR override the stream's type. */
export function paintFor(stream: { readonly isTTY?: boolean | undefined }, environment: Environment): Paint {
  const set = (name: string): boolean => environment[name] !== undefined && environment[name] !== "";
  const wanted = set("NO_COLOR")
    ? false
    : set("FORCE_COLOR")
      ? environment["FORCE_COLOR"] !== "0"
      : stream.isTTY === true && environment["TERM"] !== "dumb";
  return picocolors.createColors(wanted);
}
