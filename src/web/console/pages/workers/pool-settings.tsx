import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { PoolChange, poolFault, type PoolConfig } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { KEYS } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

const FIELDS = [
  { name: "min_workers", label: t("Workers at least"), hint: t("0: none is prepared ahead of time.") },
  { name: "max_workers", label: t("Workers at most"), hint: t("Sessions beyond that wait for a free one.") },
  {
    name: "idle_timeout_secs",
    label: t("Seconds that an unused one stays"),
    hint: t("Then it ends, down to the least number."),
  },
  {
    name: "scale_up_threshold",
    label: t("Share in use at which one more is prepared"),
    hint: t("Above 0, at most 1; such as 0.8."),
  },
] as const;
type PoolFieldName = (typeof FIELDS)[number]["name"];

/** The pool's numbers, until the server stops. */
export function PoolSettingsDialog({
  config,
  onClose,
}: {
  readonly config: PoolConfig;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const [texts, setTexts] = useState<Readonly<Record<PoolFieldName, string>>>(() => ({
    min_workers: String(config.min_workers),
    max_workers: String(config.max_workers),
    idle_timeout_secs: String(config.idle_timeout_secs),
    scale_up_threshold: String(config.scale_up_threshold),
  }));
  const { change, faults } = read(config, texts);
  const save = useMutation({
    mutationFn: (wanted: PoolChange) => client.setPool(wanted),
    onSuccess: async () => {
      tell.ok(t("The pool was changed."));
      await queries.invalidateQueries({ queryKey: KEYS.workers });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (change !== undefined) save.mutate(change);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Change the pool")}
      description={t("It counts at once, until the server stops. To keep it, write it to sallyport.yaml.")}
    >
      <form onSubmit={submit} className="space-y-4">
        {FIELDS.map(({ name, label, hint }) => (
          <Field key={name} label={label} hint={hint} error={faults[name]}>
            {(ids) => (
              <Input
                {...ids}
                inputMode="decimal"
                value={texts[name]}
                onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
        {save.error !== null && <Trouble title={t("The pool was not changed")} error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button variant="quiet" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" variant="primary" busy={save.isPending} disabled={change === undefined}>
            {t("Change")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function read(
  config: PoolConfig,
  texts: Readonly<Record<PoolFieldName, string>>,
): { readonly change: PoolChange | undefined; readonly faults: Readonly<Partial<Record<string, string>>> } {
  const numbers = Object.fromEntries(
    FIELDS.map(({ name }) => [name, texts[name].trim() === "" ? Number.NaN : Number(texts[name])]),
  );
  const parsed = PoolChange.safeParse(numbers);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => [path.join("."), message] as const);
    return { change: undefined, faults: Object.fromEntries(faults) };
  }
  const fault = poolFault({ ...config, ...(parsed.data as Partial<PoolConfig>) });
  return fault === undefined
    ? { change: parsed.data, faults: {} }
    : {
        change: undefined,
        faults: { [fault.field === "min_workers" ? "min_workers" : "max_workers"]: faultWords(fault) },
      };
}

/** The form's own names, where it has them. */
function faultWords({ field, message }: NonNullable<ReturnType<typeof poolFault>>): string {
  return field === "min_workers"
    ? t("Must not be more than “Workers at most”.")
    : t("The pool’s {field}: it {message}.", { field, message });
}
