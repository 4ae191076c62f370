import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { AUTONOMY_ORDER, type Autonomy, type Policy } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { titleOf } from "../../ui/words.tsx";

/** The newest sessions, in the list of suggestions. */
const OFFERED = 50;

/** Whose call it would be. Empty texts are not said. */
export interface Standing {
  readonly profile: string;
  readonly session: string;
  readonly autonomy: Autonomy | "";
  readonly workspace: string;
}

/** A session brings its own profile, autonomy and workspace. */
export function StandingFields({
  policy,
  standing,
  onChange,
}: {
  readonly policy: Policy;
  readonly standing: Standing;
  readonly onChange: (standing: Standing) => void;
}): ReactNode {
  const ofSession = standing.session.trim() !== "";
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <Field label="Profile">
        {(ids) => (
          <Select
            {...ids}
            disabled={ofSession}
            value={standing.profile}
            onChange={(event) => onChange({ ...standing, profile: event.target.value })}
          >
            {Object.keys(policy.profiles).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Autonomy">
        {(ids) => (
          <Select
            {...ids}
            disabled={ofSession}
            value={standing.autonomy}
            onChange={(event) => onChange({ ...standing, autonomy: event.target.value as Autonomy | "" })}
          >
            <option value="">the profile’s</option>
            {AUTONOMY_ORDER.map((level) => (
              <option key={level} value={level}>
                {level.replaceAll("_", " ")}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <PlaceFields standing={standing} ofSession={ofSession} onChange={onChange} />
    </div>
  );
}

function PlaceFields({
  standing,
  ofSession,
  onChange,
}: {
  readonly standing: Standing;
  readonly ofSession: boolean;
  readonly onChange: (standing: Standing) => void;
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
      <Field label="Workspace" hint="Empty: the server’s workspace.">
        {(ids) => (
          <Input
            {...ids}
            disabled={ofSession}
            value={standing.workspace}
            onChange={(event) => onChange({ ...standing, workspace: event.target.value })}
          />
        )}
      </Field>
      <Field label="Or a session id" hint="Uses its profile, autonomy and grants.">
        {(ids) => (
          <Input
            {...ids}
            list={known}
            placeholder="ses_…"
            value={standing.session}
            onChange={(event) => onChange({ ...standing, session: event.target.value })}
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
