import type { ReactNode } from "react";
import type { Profile } from "../../../../protocol/index.ts";
import { problemsAt, withField, type PolicyProblem } from "./draft.ts";
import { FieldEditor } from "./field-editors.tsx";
import { FIELD_GROUPS } from "./field-groups.ts";
import { PROFILE_FIELDS, type FieldName } from "./fields.ts";

const WIDE: ReadonlySet<string> = new Set(["list", "hooks", "switch", "text"]);

/** Every setting of one profile as a form. */
export function ProfileEditor({
  name,
  profile,
  problems,
  onChange,
  onWrong,
}: {
  readonly name: string;
  readonly profile: Profile;
  readonly problems: readonly PolicyProblem[];
  readonly onChange: (profile: Profile) => void;
  readonly onWrong: (place: string, wrong: string | undefined) => void;
}): ReactNode {
  const editor = (field: FieldName): ReactNode => {
    const place = `profiles.${name}.${field}`;
    return (
      <FieldEditor
        spec={PROFILE_FIELDS[field]}
        value={profile[field]}
        problems={problemsAt(problems, place)}
        onChange={(value) => onChange(withField(profile, field, value))}
        onWrong={(wrong) => onWrong(place, wrong)}
      />
    );
  };
  return (
    <div className="space-y-6">
      {editor("description")}
      {FIELD_GROUPS.map(({ title, fields }) => (
        <fieldset key={title} className="border-t pt-4">
          <legend className="sr-only">{title}</legend>
          <h3 aria-hidden className="mb-3 text-sm font-semibold">
            {title}
          </h3>
          <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
            {fields.map((field) => (
              <div key={field} className={WIDE.has(PROFILE_FIELDS[field].kind) ? "sm:col-span-2" : "contents"}>
                {editor(field)}
              </div>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}
