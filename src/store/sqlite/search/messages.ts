import type { ErrorCode } from "../../../protocol/index.ts";
import type { FoundTexts, StoredTextQuery } from "../../search.ts";

/** What the index's thread is started with. Absolute paths. */
export interface IndexThreadData {
  /** The store's database. */
  readonly journal: string;
  readonly index: string;
}

/** To the index's thread. `changed`: sessions that may have something new, or are gone. */
export type ToIndex =
  | { readonly kind: "follow"; readonly id: number; readonly changed: readonly string[] }
  | {
      readonly kind: "search";
      readonly id: number;
      readonly changed: readonly string[];
      readonly query: StoredTextQuery;
    }
  | { readonly kind: "close" };

/** From the index's thread: one answer for each request. `why` is for the operator. */
export type FromIndex =
  | { readonly kind: "followed"; readonly id: number; readonly isDone: boolean }
  | { readonly kind: "found"; readonly id: number; readonly texts: FoundTexts }
  | {
      readonly kind: "refused";
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly why: string;
    };
