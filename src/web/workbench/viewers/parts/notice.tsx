import type { ReactNode } from "react";

/** While the first picture of a large table is worked out. */
export const WORKING = "Working…";

/** Words where there is no picture: why, and what to do. */
export function Notice({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div
      role="status"
      className="flex size-full items-center justify-center overflow-auto p-3 text-center text-sm text-soft"
    >
      <p className="max-w-80 text-balance">{children}</p>
    </div>
  );
}

/** What a picture leaves out, at its lower edge. */
export function CutNote({ words }: { readonly words: string | undefined }): ReactNode {
  if (words === undefined) return undefined;
  return (
    <p
      role="note"
      className="pointer-events-none absolute bottom-1 left-1 max-w-[calc(100%-0.5rem)] truncate rounded border bg-panel/90 px-1.5 py-0.5 text-xs text-soft"
      title={words}
    >
      {words}
    </p>
  );
}
