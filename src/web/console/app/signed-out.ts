import { create } from "zustand";
import { Failure } from "../../../protocol/index.ts";
import { hasWorked } from "../../ui/app/token.ts";

/** The server revoked the token while the page was open. */
export const useSignedOut = create<{ readonly isRevoked: boolean }>()(() => ({ isRevoked: false }));

/** Checks every refusal: if the token worked before, it was revoked. */
export function noteRefusal(error: unknown): void {
  if (error instanceof Failure && error.code === "unauthenticated" && hasWorked())
    useSignedOut.setState({ isRevoked: true });
}

export function forgetRefusal(): void {
  useSignedOut.setState({ isRevoked: false });
}
