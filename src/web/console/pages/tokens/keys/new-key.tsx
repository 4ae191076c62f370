import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { KeyCreated } from "../../../../../protocol/index.ts";
import { useConnection } from "../../../../ui/app/connection.tsx";
import { Button } from "../../../../ui/button.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../../ui/field.tsx";
import { Note, Trouble } from "../../../../ui/states.tsx";
import { KEYS } from "../../../app/feed.tsx";
import { useProviders } from "../../new/data.ts";
import { Secret } from "../secret.tsx";
import { amountProblem, keyRequest, NO_FIELDS, type KeyFields } from "./key-fields.ts";

/** Makes an API key, then shows it this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [made, setMade] = useState<KeyCreated>();
  return (
    <Dialog open onClose={onClose} title={made === undefined ? "New API key" : `The key ${made.name}`}>
      {made === undefined ? <KeyForm onMade={setMade} onClose={onClose} /> : <Made made={made} onClose={onClose} />}
    </Dialog>
  );
}

const LIVES = [
  ["3600", "an hour"],
  ["86400", "a day"],
  ["2592000", "30 days"],
  ["31536000", "a year"],
  ["", "never"],
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
    label: "Models",
    hint: "The only ones; patterns, with spaces between. Empty: all that the policy allows.",
    example: "claude-*",
  },
  {
    name: "maxCost",
    label: "Money in all, in dollars",
    hint: "Then its requests are refused.",
    example: "20",
    kind: "decimal",
  },
  {
    name: "maxCostPerDay",
    label: "Money a day, in dollars",
    hint: "From midnight to midnight, UTC.",
    example: "5",
    kind: "decimal",
  },
  {
    name: "requestsPerMinute",
    label: "Requests a minute",
    hint: "Requests to models.",
    example: "60",
    kind: "numeric",
  },
  {
    name: "tokensPerMinute",
    label: "Tokens a minute",
    hint: "Input and output together.",
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
      <Field label="Name" hint="What it is for: usage shows it.">
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            required
            maxLength={200}
            value={fields.name}
            placeholder="Notebook"
            onChange={(event) => set("name", event.target.value)}
          />
        )}
      </Field>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <ProviderField value={fields.provider} onChange={(text) => set("provider", text)} />
        <Field label="Expires after" hint="It is refused then.">
          {(ids) => (
            <Select {...ids} value={fields.expiresIn} onChange={(event) => set("expiresIn", event.target.value)}>
              {LIVES.map(([seconds, words]) => (
                <option key={seconds} value={seconds}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {TEXTS.map(({ name, label, hint, example, kind }) => (
          <Field
            key={name}
            label={label}
            hint={hint}
            error={name === "maxCost" || name === "maxCostPerDay" ? problems[name] : undefined}
          >
            {(ids) => (
              <Input
                {...ids}
                {...(kind === undefined ? {} : { inputMode: kind })}
                value={fields[name]}
                placeholder={example}
                autoComplete="off"
                onChange={(event) => set(name, event.target.value)}
              />
            )}
          </Field>
        ))}
      </div>
      {make.error !== null && <Trouble title="The key was not made" error={make.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={make.isPending} disabled={!isReady}>
          Make the key
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
    <Field label="Provider" hint="Who answers all its requests.">
      {(ids) => (
        <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{usual === undefined ? "The server’s default" : `Default: ${usual.id}`}</option>
          {providers?.map(({ id, wires }) => (
            <option key={id} value={id}>
              {`${id} (${wires.join(" and ")})`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Made({ made, onClose }: { readonly made: KeyCreated; readonly onClose: () => void }): ReactNode {
  return (
    <div className="space-y-4">
      <Note tone="warn" role="alert">
        This is shown once and stored nowhere. Copy it now; if you lose it, you need a new one. Whoever has it asks
        models in the name of {made.principal.name}.
      </Note>
      <Secret label="Key" text={made.key} hint="As ANTHROPIC_AUTH_TOKEN or OPENAI_API_KEY." />
      <Secret label="Address for Anthropic’s clients" text={made.base_url} hint="As ANTHROPIC_BASE_URL." />
      <Secret label="Address for OpenAI’s clients" text={`${made.base_url}/v1`} hint="As OPENAI_BASE_URL." />
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
