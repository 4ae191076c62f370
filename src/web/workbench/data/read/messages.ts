import type { JsonChoice, ReadErrorCode } from "./error.ts";
import type { FormatOptions } from "./options.ts";
import type { PackedTable } from "./packed.ts";

export interface ToWorker {
  readonly blob: Blob;
  readonly options: FormatOptions & { readonly name: string };
}

export type ToPage =
  | { readonly type: "progress"; readonly share: number }
  | { readonly type: "done"; readonly table: PackedTable }
  | {
      readonly type: "failed";
      readonly code: ReadErrorCode;
      readonly words: string;
      readonly choices?: readonly JsonChoice[] | undefined;
    };
