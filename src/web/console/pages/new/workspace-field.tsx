import { useQuery } from "@tanstack/react-query";
import { ChevronRight, CornerLeftUp, Folder, FolderOpen } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { FolderList } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Skeleton, Trouble } from "../../../ui/states.tsx";
import type { PartProps } from "./parts.tsx";
import { t } from "../../../ui/language/t.ts";

/** The folder that the agent works in: typed, or found by browsing. */
export function WorkspaceField({ draft, change, problems }: PartProps): ReactNode {
  const [browsing, setBrowsing] = useState(false);
  const { client } = useConnection();
  const { data } = useQuery({ queryKey: ["folders", ""], queryFn: () => client.folders(), staleTime: 0 });
  const usual = data?.default_workspace;
  return (
    <>
      <Field
        label={t("Workspace")}
        error={problems.workspace}
        hint={
          draft.workspace === "" && usual !== undefined
            ? t("It works in {usual}.", { usual })
            : t("The folder that it works in, on the server’s machine.")
        }
      >
        {(ids) => (
          <div className="flex gap-2">
            <Input
              {...ids}
              value={draft.workspace}
              maxLength={4_096}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              placeholder={usual ?? t("The server’s workspace")}
              className="min-w-0 flex-1"
              onChange={(event) => change({ workspace: event.target.value })}
            />
            <Button
              size="icon"
              className="size-10! shrink-0"
              aria-label={t("Browse folders")}
              title={t("Browse folders")}
              onClick={() => setBrowsing(true)}
            >
              <FolderOpen aria-hidden className="size-4" />
            </Button>
          </div>
        )}
      </Field>
      <Dialog
        open={browsing}
        onClose={() => setBrowsing(false)}
        title={t("Choose a workspace")}
        description={t("Folders on the server that sessions can use.")}
      >
        <Folders
          onChoose={(workspace) => {
            change({ workspace });
            setBrowsing(false);
          }}
        />
      </Dialog>
    </>
  );
}

function Folders({ onChoose }: { readonly onChoose: (path: string) => void }): ReactNode {
  const { client } = useConnection();
  const [path, setPath] = useState<string | undefined>(undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ["folders", path ?? ""],
    queryFn: () => client.folders(path === undefined ? {} : { path }),
    // Folders come and go without a word to us.
    staleTime: 0,
  });
  return (
    <>
      <p className="mb-2 min-h-6 font-mono text-sm break-all text-soft" aria-live="polite">
        {path ?? t("Available folders")}
      </p>
      <div className="h-72 overflow-y-auto rounded-lg border">
        {data === undefined && error === null && <FolderSkeleton />}
        {data === undefined && error !== null && (
          <div className="p-3">
            <Trouble title={t("Can’t open this folder")} error={error} onRetry={() => void refetch()} />
            {path !== undefined && (
              <Button size="small" className="mt-3" onClick={() => setPath(undefined)}>
                {t("Back to the start")}
              </Button>
            )}
          </div>
        )}
        {data !== undefined && <FolderRows list={data} onOpen={setPath} />}
      </div>
      <div className="mt-4 flex items-center justify-between gap-2">
        <span className="text-xs text-faint">
          {data?.truncated === true ? t("More folders exist. Type the path instead.") : ""}
        </span>
        <Button
          variant="primary"
          disabled={path === undefined || data === undefined}
          onClick={() => path !== undefined && onChoose(path)}
        >
          {t("Use this folder")}
        </Button>
      </div>
    </>
  );
}

const ROW = "flex w-full items-center gap-2.5 px-3 py-2 text-start text-sm hover:bg-panel";

function FolderRows({
  list,
  onOpen,
}: {
  readonly list: FolderList;
  readonly onOpen: (path: string | undefined) => void;
}): ReactNode {
  return (
    <ul className="divide-y">
      {list.path !== undefined && (
        <li>
          <button type="button" className={ROW} onClick={() => onOpen(list.parent)}>
            <CornerLeftUp aria-hidden className="size-4 text-faint" />
            {list.parent === undefined ? t("All places") : t("Up")}
          </button>
        </li>
      )}
      {list.folders.map(({ name, path }) => (
        <li key={path}>
          <button type="button" className={ROW} onClick={() => onOpen(path)}>
            <Folder aria-hidden className="size-4 shrink-0 text-faint" />
            <span dir="auto" className="min-w-0 flex-1 truncate rtl:text-right">
              {name}
            </span>
            <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
          </button>
        </li>
      ))}
      {list.folders.length === 0 && (
        <li className="px-3 py-6 text-center text-sm text-faint">{t("No folders here.")}</li>
      )}
    </ul>
  );
}

function FolderSkeleton(): ReactNode {
  return (
    <div role="status" aria-label={t("Reading the folder")} className="space-y-1 p-2">
      {[0, 1, 2, 3, 4, 5].map((line) => (
        <Skeleton key={line} className="h-9" />
      ))}
    </div>
  );
}
