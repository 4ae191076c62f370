import { Bot, Database as DatabaseIcon, type LucideIcon } from "lucide-react";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import type { EngineView, LiveConnection, SallyportClient } from "../../../client/index.ts";
import { SallyportPanelView } from "../../panel/react.tsx";
import type { View, Workbench } from "../model/workbench.ts";
import type { Databases } from "./databases.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import type { ActionOptions } from "./tool-parts.ts";
import { AgentTools, PAGE_NAME, stepWords } from "./tools.ts";

export interface ChatProps {
  readonly workbench: Workbench;
  readonly databases: Databases;
  /** What the tools do in the page. The same object each time: tools are made anew with another. */
  readonly page: Pick<ActionOptions, "addTable" | "readAddress" | "download" | "sort">;
  readonly client: SallyportClient;
  readonly live: LiveConnection;
  readonly theme: "light" | "dark";
  readonly close: () => void;
}

/** What can be asked first, with the table that is open when the chat begins. */
function suggestionsFor(view: View | undefined): readonly string[] {
  const columns = view?.table.columns ?? [];
  const numbers = columns.find(({ type }) => type === "int" || type === "double");
  return [
    ...(numbers === undefined ? [] : [`Add a histogram for the ${numbers.name} column`]),
    "Show me tables in the public schema",
    ...(columns.length === 0 ? [] : ["Which viewers are open?"]),
    columns.length === 0 ? "How do I open a table?" : "How do I save a layout?",
  ];
}

/** What stands behind a database's name. */
const KINDS = { page: "", postgres: " (PostgreSQL)", sqlite: " (SQLite)" } as const;

/** The chat of the workbench: the panel with the workbench's tools, and what these tools work on. */
export function WorkbenchChat(props: ChatProps): ReactNode {
  const { workbench, databases, page: acts, client, live, theme, close } = props;
  const agent = useMemo(() => new AgentTools({ workbench, databases, ...acts }), [workbench, databases, acts]);
  const [engine, setEngine] = useState<string>();
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = [workbench.subscribe(listener), databases.subscribe(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    [workbench, databases],
  );
  const key = useSyncExternalStore(subscribe, () => agent.key);
  const page = useMemo(() => ({ page: PAGE_NAME, tools: toolsFor(agent, key) }), [agent, key]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SallyportPanelView
        client={client}
        live={live}
        session={() => ({
          ...(engine === undefined ? {} : { engine }),
          tools: [`mcp__${PAGE_NAME}__*`],
          system_prompt: INSTRUCTIONS,
          metadata: { page: PAGE_NAME },
        })}
        page={page}
        firstPrefix={() => agent.tableView?.getTableDescription()}
        describe={stepWords}
        contextId={PAGE_NAME}
        title="Ask Claude"
        placeholder="Ask Claude about your data…"
        suggestions={suggestionsFor(workbench.current)}
        showCost
        // The workbench opens and closes it.
        shortcut=""
        onToggle={({ open }) => {
          if (!open) close();
        }}
        theme={theme}
        className="min-h-0 flex-1"
      />
      <div className="flex items-center justify-between gap-2 px-3 pb-2 text-xs text-soft">
        <DatabaseChoice databases={databases} />
        <EngineChoice client={client} engine={engine} choose={setEngine} />
      </div>
    </div>
  );
}

/** Made anew for each key: it tells which tools there are. */
function toolsFor(agent: AgentTools, _key: string): ReturnType<AgentTools["list"]> {
  return agent.list();
}

/** A choice under the field for prompts: an icon, and what is chosen. */
function Choice(props: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly children: ReactNode;
}): ReactNode {
  const { icon: Icon, label, value, choose, children } = props;
  return (
    <label title={label} className="flex min-w-0 items-center gap-1 rounded-md pl-1.5 hover:bg-sunken">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <select
        aria-label={label}
        className="h-7 min-w-0 truncate rounded-md bg-transparent text-soft max-md:h-9"
        value={value}
        onChange={(event) => choose(event.target.value)}
      >
        {children}
      </select>
    </label>
  );
}

function DatabaseChoice({ databases }: { readonly databases: Databases }): ReactNode {
  const choices = useSyncExternalStore(
    (listener) => databases.subscribe(listener),
    () => databases.choices,
  );
  const chosen = useSyncExternalStore(
    (listener) => databases.subscribe(listener),
    () => databases.chosen.id,
  );
  return (
    <Choice icon={DatabaseIcon} label="Database" value={chosen} choose={(id) => databases.choose(id)}>
      {choices.map(({ id, name, kind }) => (
        <option key={id} value={id}>
          {name}
          {KINDS[kind]}
        </option>
      ))}
    </Choice>
  );
}

/** Which engine the next chat uses. Hidden where there is no choice. */
function EngineChoice({
  client,
  engine,
  choose,
}: {
  readonly client: SallyportClient;
  readonly engine: string | undefined;
  readonly choose: (engine: string | undefined) => void;
}): ReactNode {
  const [engines, setEngines] = useState<readonly EngineView[]>([]);
  useEffect(() => {
    let isGone = false;
    const take = async (): Promise<void> => {
      try {
        const list = await client.engines();
        if (!isGone) setEngines(list.engines.filter(({ available }) => available));
      } catch {
        // The panel says what is wrong with the server; without a list the server's own choice is taken.
      }
    };
    void take();
    return () => {
      isGone = true;
    };
  }, [client]);
  if (engines.length < 2) return null;
  return (
    <Choice icon={Bot} label="Next chat with" value={engine ?? ""} choose={(id) => choose(id || undefined)}>
      <option value="">Server’s choice</option>
      {engines.map(({ id }) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </Choice>
  );
}
