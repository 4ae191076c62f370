import type { ReactNode } from "react";
import type { Profile } from "../../../../protocol/index.ts";
import { FIELD_GROUPS } from "./field-groups.ts";
import { PROFILE_FIELDS, type FieldName } from "./fields.ts";
import { valueWords } from "./value-words.ts";

/** A read-only profile: every setting, including those that are not set. */
export function ProfileView({ profile }: { readonly profile: Profile }): ReactNode {
  return (
    <div className="space-y-6">
      {profile.description !== undefined && <p className="text-soft">{profile.description}</p>}
      {FIELD_GROUPS.map(({ title, fields }) => (
        <section key={title}>
          <h3 className="mb-2 text-sm font-semibold">{title}</h3>
          <dl className="divide-y rounded-lg border">
            {fields.map((name) => (
              <Setting key={name} name={name} value={profile[name]} />
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

function Setting({ name, value }: { readonly name: FieldName; readonly value: unknown }): ReactNode {
  const spec = PROFILE_FIELDS[name];
  const list =
    spec.kind === "list" && Array.isArray(value) && value.length > 0 ? (value as readonly string[]) : undefined;
  return (
    <div className="grid gap-x-4 gap-y-1 px-3 py-2 text-sm md:grid-cols-[16rem_1fr]">
      <dt className="text-soft">{spec.label}</dt>
      <dd className="min-w-0">
        {list === undefined ? (
          <span className={value === undefined ? "text-faint" : ""}>{valueWords(spec, value)}</span>
        ) : (
          <ul className="flex flex-wrap gap-1.5">
            {list.map((entry) => (
              <li key={entry} className="rounded-md border bg-panel px-1.5 py-0.5 font-mono text-xs break-all">
                {entry}
              </li>
            ))}
          </ul>
        )}
      </dd>
    </div>
  );
}
