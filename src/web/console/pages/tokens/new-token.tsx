import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent, type ReactNode } from "react";
import type { Role, TokenCreated } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { QrCode } from "../../app/qr.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { LimitFieldset } from "./limit-fields.tsx";
import { limitsOf, NO_LIMITS } from "./limits.ts";
import { linkFor, ROLES } from "./roles.ts";
import { Secret } from "./secret.tsx";
import { t } from "../../../ui/language/t.ts";

/** Makes a token, then shows it this once. */
export function NewToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [made, setMade] = useState<TokenCreated>();
  return (
    <Dialog
      open
      onClose={onClose}
      title={made === undefined ? t("New token") : t("The token of {name}", { name: made.name })}
    >
      {made === undefined ? <TokenForm onMade={setMade} onClose={onClose} /> : <Made token={made} onClose={onClose} />}
    </Dialog>
  );
}

function TokenForm({
  onMade,
  onClose,
}: {
  readonly onMade: (token: TokenCreated) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [limits, setLimits] = useState(NO_LIMITS);
  const make = useMutation({
    mutationFn: () => client.createToken({ ...limitsOf(limits), name: name.trim(), role }),
    onSuccess: (token) => {
      void queries.invalidateQueries({ queryKey: KEYS.tokens });
      onMade(token);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== "") make.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label={t("Name")}
        hint={t("Whose it is: shown with everything that is done with it.")}
        autoFocus
        required
        maxLength={200}
        value={name}
        placeholder={t("Ada’s phone")}
        onChange={setName}
      />
      <RoleChoice value={role} onChange={setRole} />
      <LimitFieldset value={limits} onChange={setLimits} />
      {make.error !== null && <Trouble title={t("The token was not made")} error={make.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" busy={make.isPending} disabled={name.trim() === ""}>
          {t("Make the token")}
        </Button>
      </div>
    </form>
  );
}

function RoleChoice({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }): ReactNode {
  const id = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{t("Role")}</legend>
      <div className="space-y-2">
        {ROLES.map(({ role, may, mayNot }) => (
          <label
            key={role}
            htmlFor={`${id}-${role}`}
            className={classes(
              "flex cursor-pointer gap-3 rounded-lg border px-3 py-2.5 text-sm",
              value === role ? "border-accent bg-accent-soft" : "hover:bg-panel",
            )}
          >
            <input
              id={`${id}-${role}`}
              type="radio"
              name={id}
              className="mt-0.5 size-4 shrink-0 accent-[var(--accent)]"
              checked={value === role}
              onChange={() => onChange(role)}
            />
            <span>
              <span className="font-medium">{role}</span>
              <span className="block text-soft">
                {may} {mayNot}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Made({ token, onClose }: { readonly token: TokenCreated; readonly onClose: () => void }): ReactNode {
  return (
    <div className="space-y-4">
      <Note tone="warn" role="alert">
        {t(
          "This is shown once and stored nowhere. Copy it now; if you lose it, you need a new one. Whoever has it acts as {name} with the role {role}.",
          { name: token.name, role: token.role },
        )}
      </Note>
      <Secret
        label={t("Token")}
        text={token.token}
        hint={t("For programs: Authorization: Bearer …")}
        copy={t("Copy the token")}
      />
      <Secret
        label={t("Link")}
        text={linkFor(globalThis.location.origin, token.token)}
        hint={t("Signs a browser in. Send it only to whom it is for: the link is the token.")}
        copy={t("Copy the link")}
      />
      <details className="text-sm">
        <summary className="cursor-pointer py-1 text-soft">{t("For a phone: the link as a QR code")}</summary>
        <QrCode text={linkFor(globalThis.location.origin, token.token)} label={t("The link as a QR code")} />
      </details>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          {t("I have copied it")}
        </Button>
      </div>
    </div>
  );
}
