import { CircleUser, Ellipsis, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection } from "../../ui/app/connection.tsx";
import { lazyPart } from "../../ui/load.ts";
import { MenuOnDemand } from "../../ui/menu-on-demand.tsx";
import { t } from "../../ui/language/t.ts";

const OpenPersonMenu = lazyPart(async () => (await import("./person-menu.tsx")).OpenPersonMenu);

/** A page that has no place in a phone's bar. */
export interface FurtherPage {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** The person, and the menu behind it. */
export function PersonMenu({
  more = [],
  phone = false,
}: {
  readonly more?: readonly FurtherPage[];
  readonly phone?: boolean;
}): ReactNode {
  const { me } = useConnection();
  const button = phone ? (
    <button
      type="button"
      className="flex h-full w-full flex-col items-center justify-center gap-0.5 text-xs short:[&>svg]:hidden font-medium text-soft"
    >
      <Ellipsis aria-hidden className="size-[1.15rem]" /> {t("More")}
    </button>
  ) : (
    <button
      type="button"
      className="flex w-full items-center gap-2.5 rounded-lg px-2.5 py-2 text-start text-sm hover:bg-sunken"
    >
      <CircleUser aria-hidden className="size-5 shrink-0" />
      <span className="min-w-0">
        <span dir="auto" className="block truncate font-medium rtl:text-right">
          {me.name}
        </span>
        <span className="block text-xs text-faint">{me.role}</span>
      </span>
    </button>
  );
  return (
    <MenuOnDemand button={button}>
      <OpenPersonMenu more={more} phone={phone} button={button} />
    </MenuOnDemand>
  );
}
