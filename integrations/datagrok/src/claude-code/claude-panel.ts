import * as DG from "datagrok-api/dg";
import * as grok from "datagrok-api/grok";
import * as ui from "datagrok-api/ui";
import { ViewChat } from "./view-chat.ts";

/** The platform's own words for showing or hiding its assistant, and for stopping it. */
const TOGGLE_EVENT = "d4-ai-panel-toggle";
const ABORT_EVENT = "d4-ai-generation-abort";

/** What is used of a package: the settings that an administrator made. */
interface Settings {
  readonly settings: Readonly<Record<string, unknown>> | null | undefined;
}

/** Ends what was set up. */
export type Teardown = () => void;

/**
 * A panel for every table view, those that are open already too. Nothing happens where the platform's AI is not configured or the
 * package is not switched on.
 */
export function setupClaudeAIPanelUI({ settings }: Settings): Teardown {
  if (!grok.ai.config.configured || settings?.["claudeRuntimeEnabled"] !== true) return () => undefined;
  const chats: ViewChat[] = [];
  const chatOf = (view: unknown): ViewChat | undefined => chats.find((chat) => isSame(chat.view, view));
  const add = (view: unknown): void => {
    if (!isTableView(view) || chatOf(view) !== undefined) return;
    const chat = new ViewChat(view);
    chats.push(chat);
    const icon = ui.iconFA("comments", () => chat.toggle(), "Ask Claude (Ctrl+I)");
    view.setRibbonPanels([...view.getRibbonPanels(), [icon]]);
  };
  const remove = (chat: ViewChat | undefined): void => {
    if (chat === undefined) return;
    chats.splice(chats.indexOf(chat), 1);
    chat.dispose();
  };
  const toggle = (): void => chatOf(grok.shell.v)?.toggle();
  const onKey = (event: KeyboardEvent): void => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.code === "KeyI";
    if (!isShortcut || chatOf(grok.shell.v) === undefined) return;
    event.preventDefault();
    toggle();
  };
  for (const view of grok.shell.tableViews) add(view);
  document.addEventListener("keydown", onKey);
  const subscriptions = [
    grok.events.onViewAdded.subscribe(add),
    grok.events.onViewRemoved.subscribe((view) => remove(chatOf(view))),
    grok.events.onCurrentViewChanged.subscribe(() => {
      for (const chat of chats) chat.follow(isSame(chat.view, grok.shell.v));
    }),
    grok.shell.dockManager.onClosed.subscribe((element) => {
      for (const chat of chats) if (chat.isShown && chat.panel.root === element) chat.closed();
    }),
    grok.events.onCustomEvent(TOGGLE_EVENT).subscribe(toggle),
    grok.events.onCustomEvent(ABORT_EVENT).subscribe(() => chatOf(grok.shell.v)?.stop()),
  ];
  return () => {
    document.removeEventListener("keydown", onKey);
    for (const subscription of subscriptions) subscription.unsubscribe();
    for (const chat of chats.splice(0)) chat.dispose();
  };
}

function isTableView(view: unknown): view is DG.TableView {
  return view instanceof DG.TableView || (view as DG.ViewBase | null)?.type === DG.VIEW_TYPE.TABLE_VIEW;
}

/** The platform may wrap one view several times; what it wraps is the same. */
function isSame(one: DG.ViewBase, other: unknown): boolean {
  if (one === other) return true;
  const handle = (one as { readonly dart?: unknown }).dart;
  return handle !== undefined && handle !== null && handle === (other as { readonly dart?: unknown } | null)?.dart;
}
