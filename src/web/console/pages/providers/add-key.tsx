import { useState, type ReactNode } from "react";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Select } from "../../../ui/field.tsx";
import { Section } from "../../../ui/page.tsx";
import { useMay } from "../../../ui/app/connection.tsx";
import { KeyForm } from "./key-form.tsx";
import { KEY_HELP, type KeyHelp } from "./key-help.ts";
import { t } from "../../../ui/language/t.ts";

/** How to give the server a key: here, or on its machine. No page ever shows one. */
export function AddKey({ first }: { readonly first: string }): ReactNode {
  const [id, setId] = useState(first);
  const mayKeep = useMay("policy.write");
  const help = KEY_HELP.find((one) => one.id === id) ?? KEY_HELP[0];
  if (help === undefined) return undefined;
  return (
    <Section
      title={t("Add a key")}
      actions={
        <Select
          aria-label={t("Provider")}
          className="md:w-52"
          value={help.id}
          onChange={(event) => setId(event.target.value)}
        >
          {KEY_HELP.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </Select>
      }
    >
      <p className="mb-4 text-sm text-soft">
        {t(
          "Keys stay on the server’s machine: only the model proxy reads them, and no page, session or log shows one. {note}",
          { note: help.note },
        )}
      </p>
      {mayKeep && help.variable !== undefined && <KeyForm key={help.id} id={help.id} name={help.name} />}
      {mayKeep && help.variable !== undefined && (
        <p className="mb-3 text-sm font-medium">{t("Or without the console:")}</p>
      )}
      <Ways help={help} />
    </Section>
  );
}

function Ways({ help }: { readonly help: KeyHelp }): ReactNode {
  return (
    <ol className="grid grid-cols-1 gap-4 lg:grid-cols-3">
      {help.variable !== undefined && (
        <Way title={t("With a variable")} text={`export ${help.variable}=…\nnpm start`}>
          {t("Set it before the server starts; a new value needs a restart.")}
        </Way>
      )}
      <Way title={help.variable === undefined ? t("With a command") : t("With a file")} text={help.command}>
        {t("On the server’s machine. Takes effect immediately.")}
      </Way>
      <Way title={t("In sallyport.yaml")} text={help.yaml}>
        {t("In the server’s home folder. The command writes the same.")}
      </Way>
    </ol>
  );
}

function Way({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <li className="min-w-0">
      <p className="text-sm font-medium">{title}</p>
      <div className="mt-1.5 flex items-start rounded-lg border bg-panel">
        <pre className="min-w-0 flex-1 p-3 text-xs leading-5 break-words whitespace-pre-wrap">{text}</pre>
        <CopyButton text={text} label={t("Copy: {title}", { title })} />
      </div>
      <p className="mt-1.5 text-sm text-faint">{children}</p>
    </li>
  );
}
