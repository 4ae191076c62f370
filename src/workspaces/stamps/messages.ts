/** What a thread is asked about one set of paths. */
export type StampRequest =
  | {
      readonly kind: "take";
      readonly set: number;
      /** Each ends with a NUL. */
      readonly paths: string;
      /** Folders that must not have changed just now either, and are not compared later. In the same form. */
      readonly witnesses: string;
      /** Milliseconds since the epoch: before anybody looked at what the stamps stand for. */
      readonly since: number;
    }
  | { readonly kind: "compare" | "forget"; readonly set: number };

/** Answers come in the order of the questions. Nobody waits for one to `forget`. */
export type StampAnswer =
  | {
      readonly kind: "taken";
      /** False: a later change could go unseen. */
      readonly isProven: boolean;
      /** Those where nothing was. */
      readonly missing: readonly string[];
    }
  | { readonly kind: "compared"; readonly isSame: boolean };
