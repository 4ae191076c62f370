import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { TUNNEL_ENGINE, type TunnelPairingCode } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { Trouble } from "../../../ui/states.tsx";
import { DEFAULT_ENGINE, ENGINES } from "../../app/engine-words.ts";
import { useEngines } from "../../app/engines.ts";
import { KEYS } from "../../app/feed.tsx";
import { amountProblem, keyRequest, NO_FIELDS, type KeyFields } from "../tokens/keys/key-fields.ts";
import { PairingView } from "./pairing.tsx";
import { tunnelAddress } from "./words.ts";
import { t } from "../../../ui/language/t.ts";

/** Offers models to one gateway, then shows the code with which it pairs. */
export function NewOffer({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [code, setCode] = useState<TunnelPairingCode>();
  return (
    <Dialog open onClose={onClose} title={code === undefined ? t("Offer models") : t("Pair {id}", { id: code.id })}>
      {code === undefined ? (
        <OfferForm onMade={setCode} onClose={onClose} />
      ) : (
        <PairingView code={code} address={tunnelAddress(globalThis.location.origin)} onClose={onClose} />
      )}
    </Dialog>
  );
}

const LIMITED = [
  { name: "models", label: t("Models"), placeholder: "claude-*", hint: t("All if empty.") },
  { name: "maxCostPerDay", label: t("Dollars a day"), placeholder: "5", hint: t("No limit if empty.") },
  { name: "requestsPerMinute", label: t("Requests a minute"), placeholder: "60", hint: t("No limit if empty.") },
  { name: "tokensPerMinute", label: t("Tokens a minute"), placeholder: "200000", hint: t("No limit if empty.") },
] as const;

function OfferForm({
  onMade,
  onClose,
}: {
  readonly onMade: (code: TunnelPairingCode) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const providers = useQuery({ queryKey: KEYS.providers, queryFn: () => client.providers() });
  const [fields, setFields] = useState<KeyFields>(NO_FIELDS);
  const [sessions, setSessions] = useState(false);
  const [engine, setEngine] = useState("");
  const set = (change: Partial<KeyFields>): void => setFields((before) => ({ ...before, ...change }));
  const make = useMutation({
    mutationFn: async () => {
      const { name: id = "", expires_in_s: _never, ...bounds } = keyRequest(fields);
      await client.tunnels.offer({
        ...bounds,
        id,
        auth: "psk",
        sessions,
        ...(sessions && engine !== "" ? { engine } : {}),
      });
      await queries.invalidateQueries({ queryKey: KEYS.tunnels });
      return client.tunnels.offerCode(id);
    },
    onSuccess: onMade,
  });
  const isWrong = fields.name.trim() === "" || amountProblem(fields.maxCostPerDay) !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWrong) make.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label={t("Name")}
        hint={t("What both sides call it.")}
        autoFocus
        required
        maxLength={100}
        value={fields.name}
        placeholder="work"
        onChange={(text) => set({ name: text })}
      />
      <SelectField
        label={t("Provider")}
        hint={t("Its key stays on this machine.")}
        value={fields.provider}
        onChange={(choice) => set({ provider: choice })}
      >
        <option value="">{t("The default one")}</option>
        {providers.data?.providers.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </SelectField>
      <LimitFields fields={fields} onChange={set} />
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-1"
          checked={sessions}
          onChange={(event) => setSessions(event.target.checked)}
        />
        <span>
          {t("Whole sessions may run here")}
          <span className="block text-soft">
            {t("Its agents then work on this machine, under this machine’s policy.")}
          </span>
        </span>
      </label>
      {sessions && <OfferedEngine value={engine} onChange={setEngine} />}
      {make.error !== null && <Trouble title={t("The offer was not made")} error={make.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" busy={make.isPending} disabled={isWrong}>
          {t("Offer and show a code")}
        </Button>
      </div>
    </form>
  );
}

/** What drives the sessions of the other side. Empty: the usual engine. */
function OfferedEngine({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (engine: string) => void;
}): ReactNode {
  const { data: engines, error } = useEngines();
  return (
    <SelectField
      label={t("Engine of sessions that name none")}
      hint={ENGINES[value === "" ? DEFAULT_ENGINE : value]}
      error={error === null ? undefined : t("Can’t load the engines")}
      value={value}
      onChange={onChange}
    >
      <option value="">{t("Default: {id}", { id: DEFAULT_ENGINE })}</option>
      {engines
        ?.filter(({ id }) => id !== DEFAULT_ENGINE && id !== TUNNEL_ENGINE)
        .map(({ id, available }) => (
          <option key={id} value={id} disabled={!available}>
            {available ? id : t("{id} (not available on this machine)", { id })}
          </option>
        ))}
    </SelectField>
  );
}

function LimitFields({
  fields,
  onChange,
}: {
  readonly fields: KeyFields;
  readonly onChange: (change: Partial<KeyFields>) => void;
}): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      {LIMITED.map(({ name, label, placeholder, hint }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          error={name === "maxCostPerDay" ? amountProblem(fields.maxCostPerDay) : undefined}
          value={fields[name]}
          placeholder={placeholder}
          onChange={(text) => onChange({ [name]: text })}
        />
      ))}
    </div>
  );
}
