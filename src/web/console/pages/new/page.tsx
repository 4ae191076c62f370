import { useSearch } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { DemoNote } from "../../onboarding/demo-note.tsx";
import { useDemo } from "../../onboarding/demo.tsx";
import { Page } from "../../../ui/page.tsx";
import { Note, Skeleton } from "../../../ui/states.tsx";
import { draftOf } from "./draft.ts";
import { useDraft } from "./draft-store.ts";
import { NewForm } from "./form.tsx";
import { ImportRecord } from "./import-record.tsx";
import { TemplateCards } from "./template-cards.tsx";
import { useTemplates } from "./template-data.ts";
import { t } from "../../../ui/language/t.ts";

export function NewSessionPage(): ReactNode {
  const { template } = useSearch({ from: "/new" });
  const { me } = useConnection();
  const may = useMay("session.create");
  const { data: templates, isFetched } = useTemplates();
  const demo = useDemo();
  const chosen = templates?.find(({ id }) => id === template);
  const start = useDraft((kept) => kept.start);
  useEffect(() => {
    // Once: a reload does not undo later changes.
    if (chosen !== undefined && useDraft.getState().template !== chosen.id) start(draftOf(chosen.session), chosen.id);
  }, [chosen, start]);
  if (!may) {
    return (
      <Page title={t("New session")}>
        <Note tone="warn">
          {t("Your role, {role}, cannot start sessions. Operators and admins can; an admin makes tokens for them.", {
            role: me.role,
          })}
        </Note>
      </Page>
    );
  }
  // Nothing may jump when the last answer arrives. A failure is an answer too: the form's parts ask again, and must not go away for that.
  if (demo === undefined || !isFetched) return <Opening />;
  return (
    <Page title={t("New session")} actions={<ImportRecord />}>
      <DemoNote />
      {template !== undefined && templates !== undefined && chosen === undefined && (
        <Note tone="warn" role="status">
          {t("This template no longer exists. The form keeps what you had.")}
        </Note>
      )}
      <TemplateCards chosen={template} />
      <NewForm key={template ?? ""} template={chosen} />
    </Page>
  );
}

function Opening(): ReactNode {
  return (
    <Page title={t("New session")}>
      <div role="status" aria-label={t("Opening the form")} className="space-y-4">
        <Skeleton className="h-52 rounded-xl" />
        <Skeleton className="h-48 rounded-xl" />
      </div>
    </Page>
  );
}
