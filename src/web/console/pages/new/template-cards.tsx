import { Link } from "@tanstack/react-router";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useState, type ReactNode } from "react";
import type { Template } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { MENU, MENU_ITEM, useMenuQuestion, type MenuQuestion } from "../../../ui/menu.ts";
import { NameDialog } from "./template-name.tsx";
import { templateWords, useTemplateActions, useTemplates } from "./template-data.ts";
import { plural, t } from "../../../ui/language/t.ts";

/** The others are a press away. */
const SHOWN = 6;

/** Every template as a card that fills the form. Nothing where there is none. */
export function TemplateCards({ chosen }: { readonly chosen?: string | undefined }): ReactNode {
  const { data: templates } = useTemplates();
  const [all, setAll] = useState(false);
  if (templates === undefined || templates.length === 0) return undefined;
  const shown = templates.filter(({ id }, index) => all || index < SHOWN || id === chosen);
  return (
    <section aria-labelledby="templates">
      <h2 id="templates" className="mb-2 text-sm font-medium text-soft">
        {t("Templates")}
      </h2>
      <ul className="grid gap-2 max-sm:-mx-4 max-sm:auto-cols-[15rem] max-sm:grid-flow-col max-sm:overflow-x-auto max-sm:px-4 max-sm:pb-1 sm:grid-cols-2 lg:grid-cols-3">
        {shown.map((template) => (
          <Card key={template.id} template={template} chosen={template.id === chosen} />
        ))}
      </ul>
      {shown.length < templates.length && (
        <Button variant="quiet" size="small" className="mt-1.5" onClick={() => setAll(true)}>
          {plural({ one: "Show all {count}", other: "Show all {count}" }, { count: templates.length })}
        </Button>
      )}
    </section>
  );
}

function Card({ template, chosen }: { readonly template: Template; readonly chosen: boolean }): ReactNode {
  const question = useMenuQuestion<"rename" | "delete">();
  const mayWrite = useMay("template.write");
  return (
    <li
      className={classes(
        "relative flex items-start gap-1 rounded-xl border bg-raised py-2.5 pe-1.5 ps-3.5 text-start hover:bg-panel",
        chosen && "border-accent! bg-accent-soft/50",
      )}
    >
      <div className="min-w-0 flex-1">
        <Link
          to="/new"
          search={{ template: template.id }}
          aria-current={chosen}
          dir="auto"
          className="line-clamp-1 rtl:text-right text-sm font-medium outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-(--focus)"
        >
          {template.name}
        </Link>
        <p className="line-clamp-1 text-xs break-all text-faint">{templateWords(template)}</p>
      </div>
      {mayWrite && <CardMenu template={template} question={question} />}
      <Rename template={template} open={question.asked === "rename"} onClose={question.end} />
      <Delete template={template} open={question.asked === "delete"} onClose={question.end} />
    </li>
  );
}

function CardMenu({
  template,
  question,
}: {
  readonly template: Template;
  readonly question: MenuQuestion<"rename" | "delete">;
}): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button
          variant="quiet"
          size="icon"
          className="relative z-10 size-8!"
          aria-label={t("Edit template {name}", { name: template.name })}
        >
          <Ellipsis aria-hidden className="size-4" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={4} className={MENU} onCloseAutoFocus={question.onCloseAutoFocus}>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => question.ask("rename")}>
            <Pencil aria-hidden className="size-4 text-faint" /> {t("Rename …")}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => question.ask("delete")}>
            <Trash2 aria-hidden className="size-4 text-faint" /> {t("Delete …")}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface AskProps {
  readonly template: Template;
  readonly open: boolean;
  readonly onClose: () => void;
}

function Rename({ template, open, onClose }: AskProps): ReactNode {
  const { save } = useTemplateActions();
  return (
    <NameDialog
      open={open}
      onClose={onClose}
      title={t("Rename template")}
      name={template.name}
      busy={save.isPending}
      error={save.error}
      onName={(name) =>
        save.mutate({ id: template.id, template: { name, session: template.session } }, { onSuccess: onClose })
      }
    />
  );
}

function Delete({ template, open, onClose }: AskProps): ReactNode {
  const { remove } = useTemplateActions();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t("Delete template {name}?", { name: template.name })}
      description={t("It is deleted for everyone. Sessions started from it are not affected.")}
    >
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button
          variant="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate(template, { onSuccess: onClose })}
        >
          {t("Delete")}
        </Button>
      </div>
    </Dialog>
  );
}
