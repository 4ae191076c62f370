import { createContext, use, useRef, type ReactNode } from "react";
import { useBench } from "../context.tsx";

/** What the reader takes; the system's window shows these first. */
const KINDS = ".csv,.tsv,.txt,.json,.ndjson,.jsonl,.parquet";
const Context = createContext<() => void>(() => undefined);

/** Around everything that opens the system's window to choose files. */
export function FilePickerProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { opening } = useBench();
  const input = useRef<HTMLInputElement>(null);
  return (
    <Context value={() => input.current?.click()}>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={KINDS}
        aria-label="Files to open"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = "";
          void opening.files(files);
        }}
      />
      {children}
    </Context>
  );
}

export function useFilePicker(): () => void {
  return use(Context);
}
