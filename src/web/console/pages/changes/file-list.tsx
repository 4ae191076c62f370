import type { ReactNode } from "react";
import type { ChangeSetFile } from "../../../../protocol/index.ts";
import { classes } from "../../../ui/classes.ts";
import { Badge, type Tone } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { Counts } from "../../approval/diff-view.tsx";
import { t } from "../../../ui/language/t.ts";

const STATUS: Readonly<Record<ChangeSetFile["status"], { readonly label: string; readonly tone: Tone }>> = {
  added: { label: t("new"), tone: "ok" },
  modified: { label: t("changed"), tone: "info" },
  deleted: { label: t("deleted"), tone: "bad" },
};

export function FileList({
  files,
  current,
  onChoose,
  above = false,
  boxes,
}: {
  readonly files: readonly ChangeSetFile[];
  readonly current: string;
  readonly onChoose: (path: string) => void;
  /** It stands above the diff also where there is room beside it. */
  readonly above?: boolean;
  /** Which files are included in a decision. Absent: nobody chooses. */
  readonly boxes?:
    | { readonly state: (path: string) => boolean | "partly"; readonly toggle: (path: string) => void }
    | undefined;
}): ReactNode {
  return (
    <nav aria-label={t("Changed files")} className={classes(!above && "lg:sticky lg:top-4")}>
      <ul
        className={classes(
          "divide-y overflow-auto rounded-lg border bg-raised",
          above ? "max-h-48" : "max-h-64 lg:max-h-[70dvh]",
        )}
      >
        {files.map((file) => (
          <li key={file.path} className={classes("flex items-start", file.path === current && "bg-accent-soft")}>
            {boxes !== undefined && (
              <IncludeBox path={file.path} state={boxes.state(file.path)} onToggle={() => boxes.toggle(file.path)} />
            )}
            <button
              type="button"
              aria-current={file.path === current}
              onClick={() => onChoose(file.path)}
              className={classes(
                "w-full min-w-0 px-3 py-2 text-start text-sm hover:bg-sunken",
                file.path === current && "bg-accent-soft",
              )}
            >
              <code className="block break-all">{visible(file.path)}</code>
              <span className="mt-1 flex flex-wrap items-center gap-1.5">
                <Badge tone={STATUS[file.status].tone}>{STATUS[file.status].label}</Badge>
                {file.conflict === true && <Badge tone="warn">{t("conflict")}</Badge>}
                {file.in_source === true && <Badge>{t("already in the folder")}</Badge>}
                {file.link === true && <Badge>{t("link")}</Badge>}
                {file.executable !== undefined && (
                  <Badge tone="warn">{file.executable ? t("executable now") : t("no longer executable")}</Badge>
                )}
                <Size file={file} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function IncludeBox({
  path,
  state,
  onToggle,
}: {
  readonly path: string;
  readonly state: boolean | "partly";
  readonly onToggle: () => void;
}): ReactNode {
  return (
    <label className="flex shrink-0 cursor-pointer py-3 ps-3">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={state !== false}
        ref={(box) => {
          if (box !== null) box.indeterminate = state === "partly";
        }}
        aria-label={t("Include {path}", { path: visible(path) })}
        onChange={onToggle}
      />
    </label>
  );
}

function Size({ file }: { readonly file: ChangeSetFile }): ReactNode {
  if (file.binary === true) return <Badge>{t("binary")}</Badge>;
  if (file.large === true) return <Badge>{t("large")}</Badge>;
  return <Counts added={file.additions} removed={file.deletions} />;
}
