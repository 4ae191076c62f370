import type { ReactNode } from "react";
import type { Approval, PagePreview, Preview } from "../../../protocol/index.ts";
import { Badge } from "../../ui/states.tsx";
import { CommandPreview } from "./command.tsx";
import { DiffView } from "./diff-view.tsx";
import { MultiDiff } from "./multi-diff.tsx";
import { visible, visibleCommand } from "../../ui/visible.ts";
import { t } from "../../ui/language/t.ts";

/** What a call will do. Questions, money and reviews have their own forms. */
export function PreviewView({
  preview,
  input,
}: {
  readonly preview: Preview;
  readonly input: Approval["input"];
}): ReactNode {
  switch (preview.type) {
    case "diff":
      return <DiffView file={preview.file} />;
    case "multi_diff":
      return <MultiDiff files={preview.files} />;
    case "notebook":
      return <NotebookPreview preview={preview} />;
    case "command":
      return <CommandPreview preview={preview} />;
    case "question":
    case "budget":
    case "changes":
      return null;
    case "network":
      return <NetworkPreview preview={preview} />;
    case "generic":
      return (
        <div className="space-y-3">
          {preview.page === undefined ? null : <PagePreviewView page={preview.page} />}
          <JsonView value={input} />
        </div>
      );
  }
}

/** The page that a browser tool would act on, the element, and a picture of both. */
function PagePreviewView({ page }: { readonly page: PagePreview }): ReactNode {
  const { url, title, element, picture } = page;
  if (url === undefined) return <p className="text-sm text-soft">{t("No page is open in the browser.")}</p>;
  return (
    <div className="space-y-2">
      <p className="text-sm">
        {title === undefined || title === "" ? null : <span className="font-medium">{visible(title)} </span>}
        <code className="break-all">{visibleCommand(url)}</code>
      </p>
      {element === undefined ? null : (
        <pre
          role="region"
          aria-label="Element"
          tabIndex={0}
          className="overflow-x-auto rounded-lg border bg-paper p-2 text-xs leading-5 break-all whitespace-pre-wrap"
        >
          {visibleCommand(element)}
        </pre>
      )}
      {picture === undefined ? null : (
        <img
          src={`data:${picture.media_type};base64,${picture.data}`}
          alt={t("The page when the question was asked")}
          className="max-h-96 max-w-full rounded-lg border"
        />
      )}
    </div>
  );
}

/** The host as it will be reached; its summary adds how people write it. */
function NetworkPreview({ preview }: { readonly preview: Extract<Preview, { type: "network" }> }): ReactNode {
  return (
    <div className="space-y-1">
      <p className="text-base">
        <code className="break-all">
          {visibleCommand(`${preview.host.includes(":") ? `[${preview.host}]` : preview.host}:${String(preview.port)}`)}
        </code>
      </p>
      <p className="text-sm text-soft">
        {t("{summary} Once means: until this turn ends.", { summary: visibleCommand(preview.summary) })}
      </p>
    </div>
  );
}

const CELL_WORDS = { replace: t("replaces a cell"), insert: t("adds a cell"), delete: t("deletes a cell") } as const;

function NotebookPreview({ preview }: { readonly preview: Extract<Preview, { type: "notebook" }> }): ReactNode {
  const { file, cell_id, cell_type, edit_mode } = preview;
  // The extension decides the colours; code cells are nearly always Python.
  const path = `${cell_id ?? "cell"}.${cell_type === "markdown" ? "md" : "py"}`;
  return (
    <div className="space-y-3">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={edit_mode === "delete" ? "bad" : "info"}>{CELL_WORDS[edit_mode]}</Badge>
        <Badge>{cell_type}</Badge>
        <code className="break-all">{visibleCommand(file.file_path)}</code>
      </p>
      <DiffView
        patch={preview.diff}
        path={path}
        title={cell_id === undefined ? t("the cell") : t("cell {cell_id}", { cell_id })}
      />
      <details>
        <summary className="cursor-pointer py-1 text-sm text-soft">{t("Changes in the whole file")}</summary>
        <div className="pt-2">
          <DiffView file={file} />
        </div>
      </details>
    </div>
  );
}

export function JsonView({ value }: { readonly value: unknown }): ReactNode {
  return (
    <pre
      role="region"
      aria-label="Input"
      tabIndex={0}
      className="max-h-[60dvh] overflow-auto rounded-lg border bg-paper p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      {visible(JSON.stringify(value, null, 2))}
    </pre>
  );
}
