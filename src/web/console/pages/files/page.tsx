import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft, Download, FileSearch } from "lucide-react";
import type { ReactNode } from "react";
import type { WorkspaceFile } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { useTitle } from "../../../ui/app/page-title.ts";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { download } from "../../../ui/download.ts";
import { Field, Input } from "../../../ui/field.tsx";
import { Empty, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { languageOfFile } from "../../code/languages.ts";
import { CodeBlock } from "../../transcript/code-block.tsx";
import { pictureAddress } from "../../transcript/file-path.ts";
import { plural, t } from "../../../ui/language/t.ts";

const LISTED = 100;
/** Longer texts are downloaded: a page that holds them is slow. */
const SHOWN_CHARS = 400_000;

/** The files of a session's workspace: found by a few letters, looked at, downloaded. */
export function FilesPage(): ReactNode {
  const { sessionId } = useParams({ from: "/sessions/$sessionId/files" });
  const { path, q = "" } = useSearch({ from: "/sessions/$sessionId/files" });
  const { client } = useConnection();
  const navigate = useNavigate();
  useTitle("Files");
  const found = useQuery({
    queryKey: ["session-files", sessionId, q],
    queryFn: () => client.files(sessionId, { query: q, limit: LISTED }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <div className="mx-auto w-full max-w-7xl space-y-4 p-4 md:px-8">
      <header>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          className="inline-flex items-center gap-1 text-sm text-accent underline"
        >
          <ChevronLeft aria-hidden className="size-4 shrink-0" /> {t("To the session")}
        </Link>
        <h1 className="mt-1 text-xl font-semibold">{t("Files")}</h1>
      </header>
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <div className="space-y-3">
          <Field label={t("Find a file")}>
            {(ids) => (
              <Input
                {...ids}
                type="search"
                value={q}
                spellCheck={false}
                autoCapitalize="off"
                onChange={(event) =>
                  void navigate({
                    to: "/sessions/$sessionId/files",
                    params: { sessionId },
                    search: { ...(path === undefined ? {} : { path }), q: event.target.value },
                    replace: true,
                  })
                }
              />
            )}
          </Field>
          {found.error !== null && <Trouble title={t("Can’t list the files")} error={found.error} />}
          {found.data !== undefined && (
            <Names sessionId={sessionId} names={found.data.files} query={q} current={path} />
          )}
          {found.data?.truncated === true && (
            <p className="text-sm text-soft">{t("There are more. Type to narrow them.")}</p>
          )}
        </div>
        {path === undefined ? (
          <Empty icon={FileSearch} title={t("No file open")}>
            {t("Choose a file. What may hold a secret is not listed.")}
          </Empty>
        ) : (
          <OpenFile key={path} sessionId={sessionId} path={path} />
        )}
      </div>
    </div>
  );
}

function Names({
  sessionId,
  names,
  query,
  current,
}: {
  readonly sessionId: string;
  readonly names: readonly string[];
  readonly query: string;
  readonly current: string | undefined;
}): ReactNode {
  if (names.length === 0) return <p className="text-sm text-soft">{t("No matching files")}</p>;
  return (
    <nav aria-label={t("Files")}>
      <ul className="max-h-64 divide-y overflow-auto rounded-lg border bg-raised lg:max-h-[70dvh]">
        {names.map((name) => (
          <li key={name}>
            <Link
              to="/sessions/$sessionId/files"
              params={{ sessionId }}
              search={{ path: name, ...(query === "" ? {} : { q: query }) }}
              aria-current={name === current}
              className={classes(
                "block px-3 py-2 font-mono text-sm break-all hover:bg-sunken",
                name === current && "bg-accent-soft",
              )}
            >
              {visible(name)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function OpenFile({ sessionId, path }: { readonly sessionId: string; readonly path: string }): ReactNode {
  const { client } = useConnection();
  const { data, error, refetch } = useQuery({
    queryKey: ["session-file", sessionId, path],
    queryFn: () => client.reviews.file(sessionId, path),
    staleTime: 0,
    retry: false,
  });
  if (error !== null)
    return (
      <Trouble title={t("Can’t show {path}", { path: visible(path) })} error={error} onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Skeleton className="h-64" />;
  return (
    <section aria-label={visible(path)} className="min-w-0">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 font-mono text-sm break-all">{visible(path)}</h2>
        <span className="text-sm text-soft">
          {plural({ one: "{count} byte", other: "{count} bytes" }, { count: data.size })}
        </span>
        <Button size="small" className="ms-auto" onClick={() => save(data)}>
          <Download aria-hidden className="size-4" /> {t("Download")}
        </Button>
      </header>
      <Content file={data} />
    </section>
  );
}

function Content({ file }: { readonly file: WorkspaceFile }): ReactNode {
  const { text, path } = file;
  const picture = pictureAddress(file.base64);
  if (picture !== undefined)
    return <img src={picture} alt={visible(path)} className="mt-3 max-w-full rounded-lg border object-contain" />;
  if (text === undefined) return <Note className="mt-3">{t("This file is not text. Download it to open it.")}</Note>;
  if (text === "") return <Note className="mt-3">{t("This file is empty.")}</Note>;
  const name = languageOfFile(path)?.id ?? "text";
  return (
    <>
      {text.length > SHOWN_CHARS && (
        <Note className="mt-3">{t("This is the beginning. Download the file for the rest.")}</Note>
      )}
      <CodeBlock code={text.slice(0, SHOWN_CHARS)} language={name} />
    </>
  );
}

function save({ path, text, base64 = "" }: WorkspaceFile): void {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const bytes = (): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
  download(name, text ?? bytes(), text === undefined ? "application/octet-stream" : "text/plain");
}
