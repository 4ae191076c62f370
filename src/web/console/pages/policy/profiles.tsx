import { useQuery } from "@tanstack/react-query";
import { CopyPlus, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Policy } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Section } from "../../../ui/page.tsx";
import { changedProfiles } from "./draft.ts";
import { EverybodyEditor, EverybodyView } from "./everybody.tsx";
import { NewProfile } from "./new-profile.tsx";
import { ProfileEditor } from "./profile-editor.tsx";
import { ProfileTabs } from "./profile-tabs.tsx";
import { ProfileView } from "./profile-view.tsx";
import { SaveDialog } from "./save-dialog.tsx";
import type { PolicyEditor } from "./use-draft.ts";
import { plural, t } from "../../../ui/language/t.ts";

/** The policy for those who may not change it. */
export function ProfilesView({ policy }: { readonly policy: Policy }): ReactNode {
  const [shown, setShown] = useState(policy.default_profile);
  return (
    <div className="space-y-5">
      <Section title={t("All users")}>
        <EverybodyView policy={policy} />
      </Section>
      <Section title={t("Profiles")}>
        <ProfileTabs policy={policy} value={shown} onValue={setShown}>
          {(name) => <ProfileView profile={policy.profiles[name] ?? {}} />}
        </ProfileTabs>
      </Section>
    </div>
  );
}

export function ProfilesEditor({ editor }: { readonly editor: PolicyEditor }): ReactNode {
  const { draft, before, problems } = editor;
  const [picked, setPicked] = useState(draft.default_profile);
  const [isMaking, setMaking] = useState(false);
  const shown = draft.profiles[picked] === undefined ? draft.default_profile : picked;
  const make = (name: string, copyOf: string): void => {
    editor.setProfile(name, { ...draft.profiles[copyOf] });
    setPicked(name);
    setMaking(false);
  };
  const isTroubled = (name: string): boolean => problems.some(({ path }) => path.startsWith(`profiles.${name}.`));
  return (
    <div className="space-y-5">
      <Section title={t("All users")}>
        <EverybodyEditor editor={editor} />
      </Section>
      <Section title={t("Profiles")}>
        <ProfileTabs
          policy={draft}
          value={shown}
          onValue={setPicked}
          marked={changedProfiles(before, draft)}
          troubled={Object.keys(draft.profiles).filter(isTroubled)}
          extra={
            <Button variant="quiet" size="small" className="mt-2" onClick={() => setMaking(true)}>
              <CopyPlus aria-hidden className="size-4" /> {t("New profile")}
            </Button>
          }
        >
          {(name) => (
            <div className="space-y-6">
              <ProfileEditor
                key={`${name}-${editor.round}`}
                name={name}
                profile={draft.profiles[name] ?? {}}
                problems={problems}
                onChange={(profile) => editor.setProfile(name, profile)}
                onWrong={(place, wrong) => editor.setWrong(place, wrong)}
              />
              <TakeOut editor={editor} name={name} />
            </div>
          )}
        </ProfileTabs>
      </Section>
      {isMaking && <NewProfile policy={draft} onClose={() => setMaking(false)} onMake={make} />}
      <SaveBar editor={editor} />
    </div>
  );
}

/** Only what was set here can be removed; built-in profiles and those of the file stay. */
function TakeOut({ editor, name }: { readonly editor: PolicyEditor; readonly name: string }): ReactNode {
  const { client } = useConnection();
  const history = useQuery({ queryKey: [...KEYS.policy, "history"], queryFn: () => client.policyHistory() });
  const stored = history.data?.changes[0]?.policy.profiles ?? {};
  const isNew = editor.before.profiles[name] === undefined;
  if (name === editor.draft.default_profile || (!isNew && stored[name] === undefined)) return undefined;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t pt-4">
      <p className="text-sm text-soft">
        {isNew
          ? t("This profile is not saved yet.")
          : t("This profile was saved here. It overrides the built-in one and policy.yaml.")}
      </p>
      <Button variant="danger" size="small" onClick={() => editor.setProfile(name, undefined)}>
        <Trash2 aria-hidden className="size-4" /> {t("Take it out")}
      </Button>
    </div>
  );
}

/** Stays in sight as long as something is not saved. */
function SaveBar({ editor }: { readonly editor: PolicyEditor }): ReactNode {
  const [isSaving, setSaving] = useState(false);
  const wrong = Object.keys(editor.wrong).length;
  if (!editor.isChanged) return undefined;
  return (
    <div className="sticky bottom-18 z-20 flex flex-wrap items-center justify-between gap-3 rounded-xl border bg-raised px-4 py-3 shadow-lg md:bottom-4">
      <p role="status" className={wrong > 0 ? "text-sm text-bad" : "text-sm text-soft"}>
        {wrong > 0
          ? plural({ one: "{count} field has an error.", other: "{count} fields have errors." }, { count: wrong })
          : t("You have unsaved changes.")}
      </p>
      <div className="flex gap-2">
        <Button onClick={() => editor.begin(editor.before)}>{t("Reset")}</Button>
        <Button variant="primary" disabled={wrong > 0} onClick={() => setSaving(true)}>
          {t("Review and save")}
        </Button>
      </div>
      {isSaving && <SaveDialog editor={editor} onClose={() => setSaving(false)} />}
    </div>
  );
}
