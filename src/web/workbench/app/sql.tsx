import { X } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { useIsDesktop } from "../../ui/media.ts";
import { Loading } from "../../ui/states.tsx";
import { lazyPart } from "../../ui/load.ts";
import { useBench } from "./context.tsx";
import { Guarded } from "./dock/guarded.tsx";
import { EdgeHandle } from "./edge-handle.tsx";
import { useServer } from "./server.tsx";
import { useSizes, useSurface } from "./surface.ts";

const LEAST = 160;
const MOST = 900;

const SqlPane = lazyPart(async () => (await import("../sql/pane.tsx")).SqlPane);

/** Queries: below the table, on a phone above it. */
export function Sql(): ReactNode {
  const { isSqlOpen, set } = useSurface();
  const { sqlHeight, set: setSize } = useSizes();
  const isWide = useIsDesktop();
  const [attempt, setAttempt] = useState(0);
  if (!isSqlOpen) return undefined;
  return (
    <>
      {isWide && (
        <EdgeHandle
          label="Height of SQL"
          edge="bottom"
          value={sqlHeight}
          least={LEAST}
          most={MOST}
          onChange={(height) => setSize({ sqlHeight: height })}
        />
      )}
      <div
        className={
          isWide ? "relative max-h-[75%] shrink-0 border-t" : "absolute inset-0 z-20 flex flex-col border-t bg-paper"
        }
        style={isWide ? { height: sqlHeight } : {}}
      >
        <button
          type="button"
          aria-label="Close SQL"
          title="Close SQL (S)"
          onClick={() => set({ isSqlOpen: false })}
          className="absolute top-2 right-2 z-10 grid size-7 place-items-center rounded text-faint hover:bg-sunken hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
        <Guarded key={attempt} title="SQL could not be opened" onRetry={() => setAttempt(attempt + 1)}>
          <Suspense fallback={<Loading label="Opening SQL" />}>
            <OpenPane />
          </Suspense>
        </Guarded>
      </div>
    </>
  );
}

function OpenPane(): ReactNode {
  const { workbench, sql, queries, queryTabs, keeper } = useBench();
  const { client } = useServer();
  return <SqlPane workbench={workbench} sql={sql} history={queries} tabs={queryTabs} client={client} kept={keeper} />;
}
