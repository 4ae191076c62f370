import { Ellipsis, Maximize2, Minimize2, Settings, Table2, X, type LucideIcon } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { PointerEvent, ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { MENU_ITEM } from "../../../ui/menu.ts";
import { GRID } from "../../model/dock.ts";
import type { View } from "../../model/workbench.ts";
import { SimpleMenu } from "../bar/simple-menu.tsx";
import { VIEWER_ICONS } from "../bar/viewer-list.ts";
import { useCommands } from "../commands.ts";
import { useBench } from "../context.tsx";
import { TabStrip } from "../tab-strip.tsx";
import { ask, useSurface } from "../surface.ts";

interface PaneHeadHeadProps {
  readonly id: string;
  readonly view: View;
  /** All of the same place; the others are tabs. */
  readonly stack: readonly string[];
  readonly isAlone: boolean;
  readonly isPhone: boolean;
  /** What there is no room for is in the menu. */
  readonly isNarrow: boolean;
  readonly onShow: (id: string) => void;
  readonly onGrab: (id: string, event: PointerEvent) => void;
}

/** What a viewer is, by which it is also moved, and what can be done with it. */
export function PaneHead(props: PaneHeadHeadProps): ReactNode {
  const { id, view, stack, isAlone, isPhone, isNarrow, onGrab } = props;
  const viewer = view.viewers.find((one) => one.id === id);
  const { workbench } = useBench();
  const { sheet, set } = useSurface();
  const title = viewer?.title ?? "Grid";
  return (
    <div
      className={classes(
        "flex h-8 shrink-0 items-center border-b bg-panel pr-0.5 text-sm select-none",
        !isPhone && "cursor-grab touch-none",
      )}
      onPointerDown={(event) => {
        if (!isPhone && event.target instanceof Element && event.target.closest("[data-still]") === null)
          onGrab(grabbed(event.target) ?? id, event);
      }}
      onDoubleClick={(event) => {
        if (isPhone || (event.target instanceof Element && event.target.closest("[data-still]") !== null)) return;
        set({ maximised: isAlone ? undefined : id });
      }}
    >
      {stack.length > 1 ? <Tabs {...props} /> : <Title id={id} view={view} title={title} />}
      <div data-still className="ml-auto flex shrink-0 items-center">
        {viewer !== undefined && (isPhone || !isNarrow) && (
          <HeadButton
            icon={Settings}
            label={`Properties of ${title}`}
            isPressed={sheet === id}
            onPress={() => set({ sheet: sheet === id ? undefined : id })}
          />
        )}
        {!isPhone && (
          <>
            {!isNarrow && (
              <HeadButton
                icon={isAlone ? Minimize2 : Maximize2}
                label={isAlone ? `Give back ${title}` : `Maximise ${title}`}
                onPress={() => set({ maximised: isAlone ? undefined : id })}
              />
            )}
            <PaneMenu id={id} title={title} />
          </>
        )}
        {viewer !== undefined && (
          <HeadButton
            icon={X}
            label={`Close ${title}`}
            onPress={() => {
              workbench.removeViewer(view.id, id, "person");
              if (sheet === id) set({ sheet: undefined });
            }}
          />
        )}
      </div>
    </div>
  );
}

const grabbed = (target: Element): string | undefined =>
  target.closest<HTMLElement>("[data-tab]")?.dataset["tab"] ?? undefined;

function Title({ id, view, title }: { readonly id: string; readonly view: View; readonly title: string }): ReactNode {
  const type = view.viewers.find((one) => one.id === id)?.type;
  const Icon = type === undefined ? Table2 : VIEWER_ICONS[type];
  return (
    <h2 className="flex min-w-0 items-center gap-2 px-2 font-medium" title={title}>
      <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span className="truncate">{title}</span>
    </h2>
  );
}

function Tabs({ id, view, stack, onShow }: PaneHeadHeadProps): ReactNode {
  const titleOf = (one: string): string => view.viewers.find((viewer) => viewer.id === one)?.title ?? "Grid";
  return (
    <TabStrip
      label="Viewers of this place"
      tabs={stack.map((one) => ({ id: one, title: titleOf(one) }))}
      current={id}
      choose={onShow}
      className="pl-1"
    >
      {stack.map((one) => (
        <button
          key={one}
          type="button"
          data-tab={one}
          aria-current={one === id ? "true" : undefined}
          onClick={() => onShow(one)}
          className={classes(
            "-mb-px h-7 max-w-40 shrink-0 truncate rounded-t border border-b-0 px-2.5",
            one === id ? "bg-paper font-medium" : "border-transparent text-soft hover:bg-sunken",
          )}
        >
          {titleOf(one)}
        </button>
      ))}
    </TabStrip>
  );
}

function HeadButton({
  icon: Icon,
  label,
  isPressed,
  onPress,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly isPressed?: boolean;
  readonly onPress: () => void;
}): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
      onClick={onPress}
      className="grid size-7 place-items-center rounded text-faint hover:bg-sunken hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-ink"
    >
      <Icon aria-hidden className="size-3.5" />
    </button>
  );
}

function PaneMenu({ id, title }: { readonly id: string; readonly title: string }): ReactNode {
  const { savePicture, copyPicture, openPivot, view } = useCommands();
  const isPivot = view?.viewers.some((viewer) => viewer.id === id && viewer.type === "Pivot table") === true;
  return (
    <SimpleMenu
      align="end"
      trigger={
        <button
          type="button"
          aria-label={`More for ${title}`}
          className="grid size-7 place-items-center rounded text-faint hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken"
        >
          <Ellipsis aria-hidden className="size-3.5" />
        </button>
      }
    >
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask({ kind: "move", viewerId: id })}>
        Move…
      </DropdownMenu.Item>
      {id !== GRID && (
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => useSurface.getState().set({ sheet: id })}>
          Properties
        </DropdownMenu.Item>
      )}
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => useSurface.getState().set({ maximised: id })}>
        Maximise
      </DropdownMenu.Item>
      {isPivot && (
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => openPivot(id)}>
          Open as table
        </DropdownMenu.Item>
      )}
      {id !== GRID && (
        <>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => savePicture(id, "png")}>
            Save as PNG
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => savePicture(id, "svg")}>
            Save as SVG
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => copyPicture(id)}>
            Copy picture
          </DropdownMenu.Item>
        </>
      )}
    </SimpleMenu>
  );
}
