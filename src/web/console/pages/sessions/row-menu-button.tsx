import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { lazyPart } from "../../../ui/load.ts";
import { MenuOnDemand } from "../../../ui/menu-on-demand.tsx";
import { titleOf } from "../../../ui/words.tsx";
import type { SessionActions } from "./data.ts";
import { t } from "../../../ui/language/t.ts";

const OpenRowMenu = lazyPart(async () => (await import("./row-menu.tsx")).OpenRowMenu);

export function RowMenu({
  session,
  actions,
}: {
  readonly session: SessionView;
  readonly actions: SessionActions;
}): ReactNode {
  const button = (
    <Button
      variant="quiet"
      size="icon"
      className="relative z-10 size-8! p-0"
      aria-label={t("Actions for {session}", { session: titleOf(session) })}
    >
      <Ellipsis aria-hidden className="size-4" />
    </Button>
  );
  return (
    <MenuOnDemand button={button}>
      <OpenRowMenu session={session} actions={actions} button={button} />
    </MenuOnDemand>
  );
}
