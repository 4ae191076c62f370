import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Failure, type Template } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { problemsOf, type Draft, type Problems } from "./draft.ts";
import { requestOf } from "./draft-request.ts";
import { useDraft } from "./draft-store.ts";
import { NameDialog } from "./template-name.tsx";
import { useTemplateActions } from "./template-data.ts";
import { t } from "../../../ui/language/t.ts";

/** Saves the form under a name. A template of the same name is replaced. */
export function SaveTemplateButton({
  draft,
  attached,
  template,
  onProblems,
  children,
}: {
  readonly draft: Draft;
  readonly attached: number;
  readonly template: Template | undefined;
  readonly onProblems: (problems: Problems) => void;
  readonly children: ReactNode;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const { save } = useTemplateActions();
  const navigate = useNavigate();
  const may = useMay("template.write");
  const keep = (name: string): void => {
    const request = requestOf(draft, [], { forTemplate: true });
    if (request.problems !== undefined) {
      onProblems(request.problems);
      setOpen(false);
      return;
    }
    const id = template?.name === name ? template.id : undefined;
    save.mutate(
      { id, template: { name, session: request.session } },
      {
        onSuccess: (saved) => {
          setOpen(false);
          useDraft.getState().start(draft, saved.id);
          void navigate({ to: "/new", search: { template: saved.id }, replace: true });
        },
        onError: (error) => {
          if (!(error instanceof Failure) || error.code !== "invalid_request") return;
          onProblems(problemsOf(error));
          setOpen(false);
        },
      },
    );
  };
  if (!may) return undefined;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{children}</Button>
      <NameDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t("Save as template")}
        description={
          attached > 0
            ? t("Saves prompt and settings for everyone who can start sessions. Attachments are not saved.")
            : t("Saves prompt and settings for everyone who can start sessions. The same name replaces the template.")
        }
        name={template?.name ?? ""}
        busy={save.isPending}
        error={save.error}
        onName={keep}
      />
    </>
  );
}
