import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { AUTONOMY_ORDER, type Autonomy, type Policy } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { titleOf } from "../../../ui/words.tsx";
import { t } from "../../../ui/language/t.ts";

/** The newest sessions, in the list of suggestions. */
const OFFERED = 50;

/** Whose call it would be. Empty texts are not said. */
export interface TestSubject {
  readonly profile: string;
  readonly session: string;
  readonly autonomy: Autonomy | "";
  readonly workspace: string;
}

/** A session brings its own profile, autonomy and workspace. */
export function SubjectFields({
  policy,
  subject,
  onChange,
}: {
  readonly policy: Policy;
  readonly subject: TestSubject;
  readonly onChange: (subject: TestSubject) => void;
}): ReactNode {
  const ofSession = subject.session.trim() !== "";
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <Field label={t("Profile")}>
        {(ids) => (
          <Select
            {...ids}
            disabled={ofSession}
            value={subject.profile}
            onChange={(event) => onChange({ ...subject, profile: event.target.value })}
          >
            {Object.keys(policy.profiles).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t("Autonomy")}>
        {(ids) => (
          <Select
            {...ids}
            disabled={ofSession}
            value={subject.autonomy}
            onChange={(event) => onChange({ ...subject, autonomy: event.target.value as Autonomy | "" })}
          >
            <option value="">{t("the profile’s")}</option>
            {AUTONOMY_ORDER.map((level) => (
              <option key={level} value={level}>
                {level.replaceAll("_", " ")}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <PlaceFields subject={subject} ofSession={ofSession} onChange={onChange} />
    </div>
  );
}

function PlaceFields({
  subject,
  ofSession,
  onChange,
}: {
  readonly subject: TestSubject;
  readonly ofSession: boolean;
  readonly onChange: (subject: TestSubject) => void;
}): ReactNode {
  const { client } = useConnection();
  const known = useId();
  const sessions = useQuery({
    queryKey: [...KEYS.policy, "sessions"],
    queryFn: () => client.sessions({ limit: OFFERED }),
    enabled: useMay("session.read"),
  });
  return (
    <>
      <Field label={t("Workspace")} hint={t("Empty: the server’s workspace.")}>
        {(ids) => (
          <Input
            {...ids}
            disabled={ofSession}
            value={subject.workspace}
            onChange={(event) => onChange({ ...subject, workspace: event.target.value })}
          />
        )}
      </Field>
      <Field label={t("Or a session id")} hint={t("Uses its profile, autonomy and grants.")}>
        {(ids) => (
          <Input
            {...ids}
            list={known}
            placeholder="ses_…"
            value={subject.session}
            onChange={(event) => onChange({ ...subject, session: event.target.value })}
          />
        )}
      </Field>
      <datalist id={known}>
        {sessions.data?.sessions.map((session) => (
          <option key={session.id} value={session.id}>
            {titleOf(session)}
          </option>
        ))}
      </datalist>
    </>
  );
}
