import { useQuery } from "@tanstack/react-query";
import * as Tabs from "@radix-ui/react-tabs";
import { useEffect, useState, type ReactNode } from "react";
import type { Policy } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Skeleton, Trouble } from "../../../ui/states.tsx";
import { History } from "./history.tsx";
import { ProfilesEditor, ProfilesView } from "./profiles.tsx";
import { Tester } from "./tester.tsx";
import { useDraft } from "./use-draft.ts";
import { t } from "../../../ui/language/t.ts";

const TABS = [
  { value: "profiles", label: t("Profiles") },
  { value: "test", label: t("Test a call") },
  { value: "history", label: t("History") },
] as const;
type Tab = (typeof TABS)[number]["value"];

export function PolicyPage(): ReactNode {
  const { client } = useConnection();
  const mayRead = useMay("policy.read");
  const mayWrite = useMay("policy.write");
  const policy = useQuery({ queryKey: KEYS.policy, queryFn: () => client.policy(), enabled: mayRead });
  return (
    <Page
      title={t("Policy")}
      intro={
        mayWrite
          ? t("Which tool calls run, which need approval, which are blocked, and spending limits.")
          : t("Which tool calls run, which need approval, which are blocked. Only an admin can change it.")
      }
    >
      {!mayRead && <NotPermitted what={t("The policy")} roles={t("admin, operator, agent or viewer")} />}
      {policy.error !== null && (
        <Trouble title={t("Can’t load the policy")} error={policy.error} onRetry={() => void policy.refetch()} />
      )}
      {mayRead && policy.isPending && <Skeleton className="h-[32rem]" />}
      {policy.data !== undefined &&
        (mayWrite ? (
          <EditableTabs policy={policy.data} />
        ) : (
          <PolicyTabs policy={policy.data} isDraft={false} profiles={<ProfilesView policy={policy.data} />} />
        ))}
    </Page>
  );
}

/** The draft lives above the tabs: switching to the tester loses nothing. */
function EditableTabs({ policy }: { readonly policy: Policy }): ReactNode {
  const editor = useDraft(policy);
  const { isChanged } = editor;
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    globalThis.addEventListener("beforeunload", warn);
    return () => globalThis.removeEventListener("beforeunload", warn);
  }, [isChanged]);
  return <PolicyTabs policy={policy} isDraft={isChanged} profiles={<ProfilesEditor editor={editor} />} />;
}

function PolicyTabs({
  policy,
  isDraft,
  profiles,
}: {
  readonly policy: Policy;
  readonly isDraft: boolean;
  readonly profiles: ReactNode;
}): ReactNode {
  const [tab, setTab] = useState<Tab>("profiles");
  return (
    <Tabs.Root value={tab} onValueChange={(value) => setTab(value as Tab)}>
      <Tabs.List aria-label={t("Policy")} className="mb-5 flex gap-1 overflow-x-auto border-b">
        {TABS.map(({ value, label }) => (
          <Tabs.Trigger
            key={value}
            value={value}
            className="-mb-px h-10 border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <Tabs.Content value="profiles">{profiles}</Tabs.Content>
      <Tabs.Content value="test">
        <Tester policy={policy} isDraft={isDraft} />
      </Tabs.Content>
      <Tabs.Content value="history">
        <History />
      </Tabs.Content>
    </Tabs.Root>
  );
}
