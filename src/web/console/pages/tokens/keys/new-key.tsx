import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { KeyCreated } from "../../../../../protocol/index.ts";
import { useConnection } from "../../../../ui/app/connection.tsx";
import { Button } from "../../../../ui/button.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { SelectField, TextField } from "../../../../ui/field.tsx";
import { Note, Trouble } from "../../../../ui/states.tsx";
import { KEYS } from "../../../app/feed.tsx";
import { useProviders } from "../../new/data.ts";
import { Secret } from "../secret.tsx";
import { amountProblem, keyRequest, NO_FIELDS, type KeyFields } from "./key-fields.ts";
import { t } from "../../../../ui/language/t.ts";

/** Makes an API key, then shows it this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [made, setMade] = useState<KeyCreated>();
  return (
    <Dialog
      open
      onClose={onClose}
      title={made === undefined ? t("New API key") : t("The key {name}", { name: made.name })}
    >
      {made === undefined ? <KeyForm onMade={setMade} onClose={onClose} /> : <Made made={made} onClose={onClose} />}
    </Dialog>
  );
}

const LIVES = [
  ["3600", t("an hour")],
  ["86400", t("a day")],
  ["2592000", t("30 days")],
  ["31536000", t("a year")],
  ["", t("never")],
] as const;

const TEXTS: readonly {
  readonly name: keyof KeyFields;
  readonly label: string;
  readonly hint: string;
  readonly example: string;
  readonly kind?: "decimal" | "numeric";
}[] = [
  {
    name: "models",
    label: t("Models"),
    hint: t("The only ones; patterns, with spaces between. Empty: all that the policy allows."),
    example: "claude-*",
  },
  {
    name: "maxCost",
    label: t("Money in all, in dollars"),
    hint: t("Then its requests are refused."),
    example: "20",
    kind: "decimal",
  },
  {
    name: "maxCostPerDay",
    label: t("Money a day, in dollars"),
    hint: t("From midnight to midnight, UTC."),
    example: "5",
    kind: "decimal",
  },
  {
    name: "requestsPerMinute",
    label: t("Requests a minute"),
    hint: t("Requests to models."),
    example: "60",
    kind: "numeric",
  },
  {
    name: "tokensPerMinute",
    label: t("Tokens a minute"),
    hint: t("Input and output together."),
    example: "100000",
    kind: "numeric",
  },
];

function KeyForm({
  onMade,
  onClose,
}: {
  readonly onMade: (made: KeyCreated) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [fields, setFields] = useState(NO_FIELDS);
  const set = (name: keyof KeyFields, text: string): void => setFields({ ...fields, [name]: text });
  const problems = { maxCost: amountProblem(fields.maxCost), maxCostPerDay: amountProblem(fields.maxCostPerDay) };
  const isReady = fields.name.trim() !== "" && problems.maxCost === undefined && problems.maxCostPerDay === undefined;
  const make = useMutation({
    mutationFn: () => client.createKey(keyRequest(fields)),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: KEYS.apiKeys });
      onMade(made);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) make.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label={t("Name")}
        hint={t("What it is for: usage shows it.")}
        autoFocus
        required
        maxLength={200}
        value={fields.name}
        placeholder={t("Notebook")}
        onChange={(text) => set("name", text)}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <ProviderField value={fields.provider} onChange={(text) => set("provider", text)} />
        <SelectField
          label={t("Expires after")}
          hint={t("It is refused then.")}
          value={fields.expiresIn}
          onChange={(choice) => set("expiresIn", choice)}
        >
          {LIVES.map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
        </SelectField>
        {TEXTS.map(({ name, label, hint, example, kind }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            error={name === "maxCost" || name === "maxCostPerDay" ? problems[name] : undefined}
            {...(kind === undefined ? {} : { inputMode: kind })}
            value={fields[name]}
            placeholder={example}
            autoComplete="off"
            onChange={(text) => set(name, text)}
          />
        ))}
      </div>
      {make.error !== null && <Trouble title={t("The key was not made")} error={make.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" busy={make.isPending} disabled={!isReady}>
          {t("Make the key")}
        </Button>
      </div>
    </form>
  );
}

function ProviderField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const providers = useProviders();
  const usual = providers?.find(({ is_default }) => is_default);
  return (
    <SelectField label={t("Provider")} hint={t("Who answers all its requests.")} value={value} onChange={onChange}>
      <option value="">{usual === undefined ? t("The server’s default") : t("Default: {id}", { id: usual.id })}</option>
      {providers?.map(({ id, wires }) => (
        <option key={id} value={id}>
          {`${id} (${wires.join(", ")})`}
        </option>
      ))}
    </SelectField>
  );
}

function Made({ made, onClose }: { readonly made: KeyCreated; readonly onClose: () => void }): ReactNode {
  return (
    <div className="space-y-4">
      <Note tone="warn" role="alert">
        {t(
          "This is shown once and stored nowhere. Copy it now; if you lose it, you need a new one. Whoever has it asks models in the name of {name}.",
          { name: made.principal.name },
        )}
      </Note>
      <Secret
        label={t("Key")}
        text={made.key}
        hint={t("As ANTHROPIC_AUTH_TOKEN or OPENAI_API_KEY.")}
        copy={t("Copy the key")}
      />
      <Secret
        label={t("Address for Anthropic’s clients")}
        text={made.base_url}
        hint={t("As ANTHROPIC_BASE_URL.")}
        copy={t("Copy the address for Anthropic’s clients")}
      />
      <Secret
        label={t("Address for OpenAI’s clients")}
        text={`${made.base_url}/v1`}
        hint={t("As OPENAI_BASE_URL.")}
        copy={t("Copy the address for OpenAI’s clients")}
      />
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          {t("I have copied it")}
        </Button>
      </div>
    </div>
  );
}
