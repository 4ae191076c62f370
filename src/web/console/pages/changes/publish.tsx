import { useMutation, useQuery } from "@tanstack/react-query";
import { GitPullRequest, Upload } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ChangeList, Publishing } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, TextArea } from "../../../ui/field.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { visible } from "../../../ui/visible.ts";
import { KEYS } from "../../app/feed.tsx";
import { rich, t } from "../../../ui/language/t.ts";

type PushRemote = Publishing["remotes"][number];
type PushedBranch = Publishing["branches"][number];

/** Commits of this session, and where they can be pushed. */
export function Publish({ sessionId, list }: { readonly sessionId: string; readonly list: ChangeList }): ReactNode {
  const { client } = useConnection();
  const may = useMay("changes.publish");
  const { data, error, refetch } = useQuery({
    queryKey: [...KEYS.changes(sessionId), "publishing"],
    queryFn: () => client.reviews.publishing(sessionId),
    staleTime: 0,
  });
  if (error !== null)
    return <Trouble title={t("Can’t look at the repository’s remotes")} error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.branches.length === 0) return null;
  return (
    <section aria-label={t("Commits")} className="space-y-2 rounded-lg border bg-raised p-3">
      <h2 className="text-sm font-medium">{t("Committed from this session")}</h2>
      {data.remotes.length === 0 && <Note>{t("The repository has no remote to push to.")}</Note>}
      <ul className="divide-y text-sm">
        {data.branches.map((branch) => (
          <li key={branch.branch} className="space-y-2 py-2">
            <p>
              <code className="break-all">{visible(branch.branch)}</code>{" "}
              <code className="text-soft">{branch.commit.slice(0, 10)}</code>
            </p>
            {may &&
              data.remotes.map((remote) => (
                <RemoteActions
                  key={remote.name}
                  target={{ sessionId, branch, remote }}
                  message={list.proposed_message}
                />
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface PublishTarget {
  readonly sessionId: string;
  readonly branch: PushedBranch;
  readonly remote: PushRemote;
}

function RemoteActions({
  target,
  message = "",
}: {
  readonly target: PublishTarget;
  readonly message?: string | undefined;
}): ReactNode {
  const { remote, branch } = target;
  const [asked, setAsked] = useState<"push" | "request" | undefined>(undefined);
  if (remote.refused !== undefined)
    return (
      <p className="text-soft">
        {visible(remote.name)}: {visible(remote.refused)}
      </p>
    );
  const close = (): void => setAsked(undefined);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="small" onClick={() => setAsked("push")}>
        <Upload aria-hidden className="size-4" /> {t("Push to {name}", { name: visible(remote.name) })}
      </Button>
      {remote.pull_request !== undefined && (
        <Button size="small" onClick={() => setAsked("request")}>
          <GitPullRequest aria-hidden className="size-4" />
          {remote.pull_request === "gh" ? t("Open a pull request") : t("Open a merge request")}
        </Button>
      )}
      <code className="min-w-0 break-all text-faint">{visible(remote.url)}</code>
      {asked === "push" && <PushDialog target={target} onClose={close} />}
      {asked === "request" && (
        <RequestDialog
          target={target}
          first={{ title: message.split("\n")[0] || branch.branch, body: message.split("\n").slice(2).join("\n") }}
          onClose={close}
        />
      )}
    </div>
  );
}

function PushDialog({ target, onClose }: { readonly target: PublishTarget; readonly onClose: () => void }): ReactNode {
  const { sessionId, branch, remote } = target;
  const { client } = useConnection();
  const tell = useTell();
  const push = useMutation({
    mutationFn: () => client.reviews.push(sessionId, { ...branch, remote: remote.name, url: remote.url }),
    onSuccess: () => {
      tell.ok(t("Pushed {branch} to {name}", { branch: branch.branch, name: remote.name }));
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Push {branch}?", { branch: visible(branch.branch) })}
      description={t("{commit} to {url}. Nothing that others pushed is written over.", {
        commit: branch.commit.slice(0, 10),
        url: visible(remote.url),
      })}
    >
      {push.error !== null && <Trouble title={t("Nothing was pushed")} error={push.error} />}
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button variant="primary" busy={push.isPending} onClick={() => push.mutate()}>
          {t("Push")}
        </Button>
      </div>
    </Dialog>
  );
}

function RequestDialog({
  target,
  first,
  onClose,
}: {
  readonly target: PublishTarget;
  readonly first: { readonly title: string; readonly body: string };
  readonly onClose: () => void;
}): ReactNode {
  const { sessionId, branch, remote } = target;
  const { client } = useConnection();
  const [title, setTitle] = useState(first.title);
  const [body, setBody] = useState(first.body);
  const open = useMutation({
    mutationFn: () => {
      const named = { branch: branch.branch, remote: remote.name, url: remote.url };
      return client.reviews.openPullRequest(sessionId, { ...named, title: title.trim(), body });
    },
  });
  const link = open.data?.pull_request;
  return (
    <Dialog
      open
      onClose={onClose}
      title={remote.pull_request === "glab" ? t("Open a merge request") : t("Open a pull request")}
      description={t("For {branch} at {url}, with {pull_request}. Push the branch first.", {
        branch: visible(branch.branch),
        url: visible(remote.url),
        pull_request: remote.pull_request ?? "",
      })}
    >
      {link === undefined ? (
        <form
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (title.trim() !== "") open.mutate();
          }}
        >
          {open.error !== null && <Trouble title={t("It was not opened")} error={open.error} />}
          <Field label={t("Title")} error={title.trim() === "" ? t("Give it a title.") : undefined}>
            {(ids) => (
              <Input {...ids} value={title} maxLength={250} onChange={(event) => setTitle(event.target.value)} />
            )}
          </Field>
          <Field label={t("Description")}>
            {(ids) => <TextArea {...ids} rows={6} value={body} onChange={(event) => setBody(event.target.value)} />}
          </Field>
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button variant="primary" type="submit" busy={open.isPending}>
              {t("Open")}
            </Button>
          </div>
        </form>
      ) : (
        <Note tone="ok" role="status">
          {rich("Opened: {link}", {
            link: (
              <a className="break-all text-accent underline" href={link} target="_blank" rel="noreferrer">
                {visible(link)}
              </a>
            ),
          })}
        </Note>
      )}
    </Dialog>
  );
}
