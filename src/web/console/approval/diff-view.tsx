import { Columns2, FilePen, FilePlus2, Rows2 } from "lucide-react";
import { Suspense, type ReactNode } from "react";
import type { FileDiff } from "../../../protocol/index.ts";
import { useSettings } from "../../ui/app/settings.ts";
import { Button } from "../../ui/button.tsx";
import { useIsDesktop } from "../../ui/media.ts";
import { Badge, Note, Skeleton } from "../../ui/states.tsx";
import { visibleCommand } from "../../ui/visible.ts";
import { lazyPart } from "../../ui/load.ts";
import { plural, t } from "../../ui/language/t.ts";

const DiffTable = lazyPart(async () => (await import("./diff/table.tsx")).DiffTable);
/** The header of a hunk that replaces nothing. */
const FROM_NOTHING = /^@@ -0,0 /m;
const HEAD_CHARS = 10_000;

type DiffViewProps =
  | { readonly file: FileDiff }
  | {
      readonly patch: string;
      /** Its extension decides the language. */
      readonly path: string;
      /** Shown instead of the path. */
      readonly title?: string;
    };

/** One file's change: side by side or in one column, with colours, marked words and side effects. */
export function DiffView(props: DiffViewProps): ReactNode {
  const { diffLayout } = useSettings();
  const roomy = useRoomy();
  const { file, path, title, patch } =
    "file" in props
      ? { file: props.file, path: props.file.file_path, title: props.file.file_path, patch: props.file.diff }
      : { file: undefined, path: props.path, title: props.title ?? props.path, patch: props.patch };
  const isNew = FROM_NOTHING.test(patch.slice(0, HEAD_CHARS));
  // Of a new file one side would be empty.
  const sides = roomy && !isNew;
  return (
    <section aria-label={visibleCommand(title)} className="overflow-hidden rounded-lg border bg-paper">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b bg-panel px-3 py-1.5">
        {file?.is_new_file === true ? (
          <FilePlus2 aria-hidden className="size-4 shrink-0 text-ok" />
        ) : (
          <FilePen aria-hidden className="size-4 shrink-0 text-soft" />
        )}
        <code className="min-w-0 text-sm break-all">{visibleCommand(title)}</code>
        {file !== undefined && <Facts file={file} />}
        {sides && <LayoutSwitch />}
      </header>
      {file?.error !== undefined && (
        <Note tone="bad" className="m-3">
          {t("This change can’t be made: {error}", { error: file.error })}
        </Note>
      )}
      {patch === "" ? (
        <p className="px-3 py-4 text-sm text-soft">{t("No changes to preview")}</p>
      ) : (
        <Suspense fallback={<Skeleton className="m-3 h-24" />}>
          <DiffTable patch={patch} path={path} layout={sides ? diffLayout : "unified"} isNew={isNew} />
        </Suspense>
      )}
    </section>
  );
}

function Facts({ file }: { readonly file: FileDiff }): ReactNode {
  return (
    <>
      <Badge tone={file.is_new_file ? "ok" : "info"}>{file.is_new_file ? t("NEW") : t("changed")}</Badge>
      <Counts added={file.added} removed={file.removed} />
      {file.effects.map((effect) => (
        <Badge key={effect} tone="warn" className="whitespace-normal break-all">
          {effect}
        </Badge>
      ))}
    </>
  );
}

/** +N −N */
export function Counts({ added, removed }: { readonly added: number; readonly removed: number }): ReactNode {
  return (
    <span className="font-mono text-xs whitespace-nowrap tabular-nums">
      <span className="sr-only">
        {plural(
          { one: "{count} line added, {removed} removed", other: "{count} lines added, {removed} removed" },
          { count: added, removed },
        )}
      </span>
      <span aria-hidden className="text-ok">
        +{added}
      </span>{" "}
      <span aria-hidden className="text-bad">
        −{removed}
      </span>
    </span>
  );
}

function LayoutSwitch(): ReactNode {
  const { diffLayout } = useSettings();
  const split = diffLayout === "split";
  const Icon = split ? Rows2 : Columns2;
  return (
    <Button
      variant="quiet"
      size="small"
      className="ms-auto"
      title={split ? "u" : "s"}
      onClick={() => useSettings.getState().set({ diffLayout: split ? "unified" : "split" })}
    >
      <Icon aria-hidden className="size-4" /> {split ? t("One column") : t("Side by side")}
    </Button>
  );
}

/** Below this two columns are too narrow to read. */
export function useRoomy(): boolean {
  return useIsDesktop();
}
