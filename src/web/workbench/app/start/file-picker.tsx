import { createContext, use, useMemo, useRef, type ReactNode } from "react";
import { useBench } from "../context.tsx";
import { ask } from "../surface.ts";

/** What the reader takes; the system's window shows these first. */
const KINDS = ".csv,.tsv,.txt,.json,.ndjson,.jsonl,.parquet,.arrow,.feather,.xlsx";
const TEXT_KINDS = ".csv,.tsv,.tab,.txt,.gz";

interface FilePickers {
  readonly open: () => void;
  /** Chooses a text file, then asks how it is to be read. */
  readonly import: () => void;
}

const Context = createContext<FilePickers>({ open: () => undefined, import: () => undefined });

/** Around everything that opens the system's window to choose files. */
export function FilePickerProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { opening } = useBench();
  const input = useRef<HTMLInputElement>(null);
  const texts = useRef<HTMLInputElement>(null);
  const pickers = useMemo(() => ({ open: () => input.current?.click(), import: () => texts.current?.click() }), []);
  return (
    <Context value={pickers}>
      <input
        ref={texts}
        type="file"
        hidden
        accept={TEXT_KINDS}
        aria-label="Text file to import"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file !== undefined) ask({ kind: "import", file });
        }}
      />
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
  return use(Context).open;
}

export function useImportPicker(): () => void {
  return use(Context).import;
}
