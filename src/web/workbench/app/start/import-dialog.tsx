import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { Note } from "../../../ui/states.tsx";
import { previewImport, type TextImportOptions, type ImportPreview } from "../../data/read/import.ts";
import { DEFAULT_WORDS } from "../../data/read/null-words.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { importLines } from "../../model/import-words.ts";
import { useBench } from "../context.tsx";
import { FormButtons } from "../form-buttons.tsx";
import type { ImportAgain } from "../opening.ts";
import { ImportTable } from "./import-table.tsx";

const DELIMITER_WORDS = { comma: "Comma", semicolon: "Semicolon", tab: "Tab", pipe: "Bar |" } as const;
const AUTOMATIC = "";

/** How a text file is read, with its first rows as they would be. */
export function ImportDialog({
  again,
  onClose,
}: {
  readonly again: ImportAgain;
  readonly onClose: () => void;
}): ReactNode {
  const { opening } = useBench();
  const [options, setOptions] = useState<TextImportOptions>({});
  const { preview, trouble } = usePreview(again.file, options);
  const change = (changed: TextImportOptions): void => setOptions((before) => ({ ...before, ...changed }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onClose();
    void opening.importFile(again, options);
  };
  return (
    <Dialog open onClose={onClose} title={`Import ${again.file.name}`} wide>
      <form onSubmit={submit} className="min-h-0 space-y-4">
        <CellFields options={options} preview={preview} change={change} />
        <LineFields options={options} preview={preview} change={change} />
        {trouble !== undefined && (
          <Note tone="bad" role="alert">
            {trouble}
          </Note>
        )}
        {preview !== undefined && (
          <ImportTable
            preview={preview}
            types={options.types ?? {}}
            choose={(name, type) => change({ types: withType(options.types, name, type) })}
          />
        )}
        <Misfits preview={preview} />
        <FormButtons words="Import" isReady={preview !== undefined && trouble === undefined} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function withType(
  types: TextImportOptions["types"] = {},
  name: string,
  type: NonNullable<TextImportOptions["types"]>[string] | undefined,
): NonNullable<TextImportOptions["types"]> {
  const { [name]: _, ...others } = types;
  return type === undefined ? others : { ...others, [name]: type };
}

interface PreviewState {
  readonly preview?: ImportPreview | undefined;
  readonly trouble?: string | undefined;
}

/** The newest options count; the last preview stays until the next one is there. */
function usePreview(file: File, options: TextImportOptions): PreviewState {
  const [state, setState] = useState<PreviewState>({});
  useEffect(() => {
    let isOld = false;
    previewImport(file, options).then(
      (preview) => !isOld && setState({ preview }),
      (error: unknown) =>
        !isOld &&
        setState(({ preview }) => ({ preview, trouble: error instanceof Error ? error.message : String(error) })),
    );
    return () => {
      isOld = true;
    };
  }, [file, options]);
  return state;
}

interface FieldsProps {
  readonly options: TextImportOptions;
  readonly preview: ImportPreview | undefined;
  readonly change: (options: TextImportOptions) => void;
}

const ROW = "grid gap-3 sm:grid-cols-3";

function CellFields({ options, preview, change }: FieldsProps): ReactNode {
  const found = preview?.found;
  const delimiters = Object.keys(DELIMITER_WORDS) as (keyof typeof DELIMITER_WORDS)[];
  return (
    <div className={ROW}>
      <Field label="Separator">
        {(ids) => (
          <Select
            {...ids}
            value={options.delimiter ?? AUTOMATIC}
            onChange={({ target }) => change({ delimiter: delimiters.find((name) => name === target.value) })}
          >
            <option value={AUTOMATIC}>
              Automatic
              {found === undefined || options.delimiter !== undefined ? "" : ` (${DELIMITER_WORDS[found.delimiter]})`}
            </option>
            {delimiters.map((name) => (
              <option key={name} value={name}>
                {DELIMITER_WORDS[name]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Names of columns">
        {(ids) => (
          <Select
            {...ids}
            value={options.header === undefined ? AUTOMATIC : String(options.header)}
            onChange={({ target }) =>
              change({ header: target.value === AUTOMATIC ? undefined : target.value === "true" })
            }
          >
            <option value={AUTOMATIC}>
              Automatic
              {found === undefined || options.header !== undefined ? "" : found.header ? " (first row)" : " (none)"}
            </option>
            <option value="true">In the first row</option>
            <option value="false">None</option>
          </Select>
        )}
      </Field>
      <Field label="Decimals">
        {(ids) => (
          <Select
            {...ids}
            value={options.decimal ?? AUTOMATIC}
            onChange={({ target }) =>
              change({ decimal: target.value === "point" || target.value === "comma" ? target.value : undefined })
            }
          >
            <option value={AUTOMATIC}>Automatic</option>
            <option value="point">With a point: 1.5</option>
            <option value="comma">With a comma: 1,5</option>
          </Select>
        )}
      </Field>
    </div>
  );
}

function LineFields({ options, preview, change }: FieldsProps): ReactNode {
  const before = preview?.found.wordsBefore ?? 0;
  const [words, setWords] = useState(DEFAULT_WORDS.join(", "));
  return (
    <div className={ROW}>
      <Field
        label="Lines to skip at the start"
        hint={
          before > 0 && options.skipLines === undefined ? (
            <button type="button" className="text-accent underline" onClick={() => change({ skipLines: before })}>
              {before === 1 ? "The first line is" : `The first ${before} lines are`} not like the others: skip
            </button>
          ) : undefined
        }
      >
        {(ids) => (
          <Input
            {...ids}
            type="number"
            min={0}
            max={WORKBENCH_LIMITS.skippedLines}
            value={options.skipLines ?? 0}
            onChange={({ target }) => {
              const lines = Math.trunc(Number(target.value));
              const isRight = lines > 0 && lines <= WORKBENCH_LIMITS.skippedLines;
              change({ skipLines: isRight ? lines : undefined });
            }}
          />
        )}
      </Field>
      <Field label="Comment lines begin with" hint="One sign, such as #. Empty: there are none.">
        {(ids) => (
          <Input
            {...ids}
            value={options.comment ?? ""}
            maxLength={1}
            onChange={({ target }) => change({ comment: /^[!-~]$/.test(target.value) ? target.value : undefined })}
          />
        )}
      </Field>
      <Field label="Words for missing values" hint="With commas between them. Empty cells are always missing.">
        {(ids) => (
          <Input
            {...ids}
            value={words}
            maxLength={1_000}
            spellCheck={false}
            onChange={({ target }) => {
              setWords(target.value);
              change({ nullWords: target.value.split(",").map((word) => word.trim()) });
            }}
          />
        )}
      </Field>
    </div>
  );
}

/** Before anything is opened; the whole file is told about afterwards. */
function Misfits({ preview }: { readonly preview: ImportPreview | undefined }): ReactNode {
  const lines = importLines(preview?.misfits ?? []);
  if (lines.length === 0) return undefined;
  return (
    <Note tone="warn" role="status">
      In the first rows: {lines.join(" ")}
    </Note>
  );
}
