import * as Tabs from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
import type { Policy } from "../../../../protocol/index.ts";
import { Badge } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

/** The profiles side by side: a list at the left, on a phone a row above. */
export function ProfileTabs({
  policy,
  value,
  onValue,
  marked = [],
  troubled = [],
  extra,
  children,
}: {
  readonly policy: Policy;
  readonly value: string;
  readonly onValue: (name: string) => void;
  /** Profiles with changes that are not saved. */
  readonly marked?: readonly string[];
  /** Profiles that the server found something wrong with. */
  readonly troubled?: readonly string[];
  /** Stands under the list. */
  readonly extra?: ReactNode;
  readonly children: (name: string) => ReactNode;
}): ReactNode {
  return (
    <Tabs.Root
      value={value}
      onValueChange={onValue}
      orientation="vertical"
      className="grid grid-cols-1 gap-4 md:grid-cols-[12rem_minmax(0,1fr)] md:gap-6"
    >
      <div className="min-w-0 self-start md:sticky md:top-4">
        <Tabs.List aria-label={t("Profiles")} className="flex flex-wrap gap-1 md:flex-col">
          {Object.keys(policy.profiles).map((name) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="flex min-h-9 shrink-0 items-center gap-2 rounded-lg px-2.5 py-1.5 text-start text-sm text-soft hover:bg-sunken data-[state=active]:bg-accent-soft data-[state=active]:font-medium data-[state=active]:text-ink"
            >
              <span className="min-w-0 truncate">{name}</span>
              {name === policy.default_profile && <Badge>{t("default")}</Badge>}
              {troubled.includes(name) ? (
                <Badge tone="bad">{t("wrong")}</Badge>
              ) : (
                marked.includes(name) && <Badge tone="warn">{t("changed")}</Badge>
              )}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {extra}
      </div>
      {Object.keys(policy.profiles).map((name) => (
        <Tabs.Content key={name} value={name} className="min-w-0 outline-offset-8">
          {children(name)}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
