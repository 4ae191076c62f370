import { Brain, CircleAlert, Scissors } from "lucide-react";
import { memo, Suspense, type ReactNode } from "react";
import { isToolItem, type Item, type ItemView } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Badge, Note } from "../../ui/states.tsx";
import { count } from "../../ui/words.tsx";
import { lazyPart } from "../../ui/load.ts";
import { Fold, useReach, useRevealed } from "./folds.tsx";
import { ItemMenu } from "./item-menu.tsx";
import { ToolCard } from "./tool-card.tsx";
import { STATUS_WORDS } from "./tool-words.ts";
import { plural, t } from "../../ui/language/t.ts";

const Markdown = lazyPart(async () => (await import("./markdown.tsx")).Markdown);

export type ItemLookup = (id: string) => ItemView | undefined;

/** One visible thing of a turn. Painted again only when it changes. */
export const ItemRow = memo(function ItemRow({
  view,
  lookup,
}: {
  readonly view: ItemView;
  readonly lookup: ItemLookup;
}): ReactNode {
  const { item } = view;
  if (isToolItem(item)) {
    return (
      <ToolCard view={view} item={item}>
        {view.children.length > 0 && <Children of={item.id} ids={view.children} lookup={lookup} />}
      </ToolCard>
    );
  }
  return <Said view={view} item={item} />;
});

/** How many of a sub-agent's last items are shown; each step shows more. */
const CHILDREN_SHOWN = 20;
const CHILDREN_STEP = 100;
/** Only a sub-agent reads other items: all others are repainted when they change, not with each frame. */
const NO_ITEMS: ItemLookup = () => undefined;
export const lookupOf = (view: ItemView, lookup: ItemLookup): ItemLookup =>
  view.children.length > 0 ? lookup : NO_ITEMS;

/** What a sub-agent did. */
function Children({
  of,
  ids,
  lookup,
}: {
  /** The sub-agent's item. */
  readonly of: string;
  readonly ids: readonly string[];
  readonly lookup: ItemLookup;
}): ReactNode {
  const [reached, setReached] = useReach(`children-${of}`);
  const revealed = useRevealed().ids;
  const found = ids.findIndex((id) => revealed.includes(id));
  const shown = Math.max(reached ?? CHILDREN_SHOWN, found < 0 ? 0 : ids.length - found);
  const earlier = Math.max(0, ids.length - shown);
  return (
    <div className="space-y-3 border-s-2 border-accent/50 ps-3" role="group" aria-label={t("Sub-agent")}>
      {earlier > 0 && (
        <Button size="small" variant="quiet" onClick={() => setReached(shown + CHILDREN_STEP)}>
          {earlier <= CHILDREN_STEP
            ? plural({ one: "Show all {count}", other: "Show all {count}" }, { count: ids.length })
            : t("Show {step} more of {earlier} earlier ones", { step: CHILDREN_STEP, earlier: count(earlier) })}
        </Button>
      )}
      {ids.slice(earlier).map((id) => {
        const view = lookup(id);
        return view === undefined ? null : <ItemRow key={id} view={view} lookup={lookupOf(view, lookup)} />;
      })}
    </div>
  );
}

/** Of a thought that is not open. */
const SUMMARY_CHARS = 160;
const SUMMARY = "flex min-h-9 cursor-pointer items-center gap-2 px-3 py-1.5 text-soft";
const FOLDED = "border-t px-3 py-2 whitespace-pre-wrap break-words text-soft";

type SaidItem = Exclude<Item, { tool_use_id: string }>;

function Said({ view, item }: { readonly view: ItemView; readonly item: SaidItem }): ReactNode {
  switch (item.type) {
    case "agent_message":
      return <Message view={view} item={item} />;
    case "reasoning":
      return (
        <Fold
          id={item.id}
          className="group/fold rounded-xl border bg-panel text-sm"
          summary={
            <summary className={SUMMARY}>
              <Brain aria-hidden className="size-4 shrink-0" />
              <span className="shrink-0">{item.status === "in_progress" ? t("Thinking …") : t("Thought")}</span>
              <span className="min-w-0 flex-1 truncate text-faint group-open/fold:invisible">
                {item.text.slice(0, SUMMARY_CHARS)}
              </span>
            </summary>
          }
        >
          <p className={FOLDED}>{item.text === "" ? t("The model does not share this thought.") : item.text}</p>
        </Fold>
      );
    case "compaction":
      return (
        <Fold
          id={item.id}
          className="rounded-xl border border-dashed bg-panel text-sm"
          summary={
            <summary className={SUMMARY}>
              <Scissors aria-hidden className="size-4 shrink-0" />{" "}
              {t("Context was full ({tokens} tokens) and was summarized", { tokens: count(item.tokens_before) })}
            </summary>
          }
        >
          <p className={FOLDED}>{item.summary}</p>
        </Fold>
      );
    case "error":
      return (
        <Note tone="bad" className="flex items-start gap-2">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{item.message}</span>
        </Note>
      );
  }
}

function Message({
  view,
  item,
}: {
  readonly view: ItemView;
  readonly item: Extract<Item, { type: "agent_message" }>;
}): ReactNode {
  const { label, tone } = STATUS_WORDS[item.status];
  const plain = item.status === "completed" || item.status === "in_progress";
  if (item.text === "" && item.status === "completed") return null;
  return (
    <div className={`flow-root ${item.status === "superseded" ? "text-faint" : ""}`}>
      <span className="float-end ms-2 flex items-center">
        {item.status !== "in_progress" && <CopyButton label={t("Copy message")} text={item.text} />}
        <ItemMenu view={view} />
      </span>
      {!plain && (
        <Badge tone={tone} className="mb-1">
          {label}
        </Badge>
      )}
      <Suspense fallback={<p className="leading-relaxed whitespace-pre-wrap break-words">{item.text}</p>}>
        <Markdown text={item.text} streaming={item.status === "in_progress"} />
      </Suspense>
    </div>
  );
}
