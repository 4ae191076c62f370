import { create } from "zustand";
import { Failure } from "../../../protocol/index.ts";
import { hasWorked } from "../../ui/app/token.ts";

/** The server took the token back while the page was open. */
export const useSignedOut = create<{ readonly isRevoked: boolean }>()(() => ({ isRevoked: false }));

/** Looks at every refusal: one of a token that worked before means that it was taken back. */
export function noteRefusal(error: unknown): void {
  if (error instanceof Failure && error.code === "unauthenticated" && hasWorked())
    useSignedOut.setState({ isRevoked: true });
}

export function forgetRefusal(): void {
  useSignedOut.setState({ isRevoked: false });
}
