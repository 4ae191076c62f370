import { ChartNoAxesColumn } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useState, type ComponentType, type ReactNode } from "react";
import { Loading } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { useTable } from "../../data/use-table.ts";
import type { OpenViewer, View } from "../../model/workbench.ts";
import { definitionOf, wholeLook } from "../../viewers/registry.ts";
import type { Look, ViewerDefinition, ViewerProps } from "../../viewers/viewer.ts";
import { useBench } from "../context.tsx";
import { Guarded } from "./guarded.tsx";

interface BodyProps {
  readonly view: View;
  readonly viewer: OpenViewer;
  readonly width: number;
  readonly height: number;
}

/** Each type is loaded once; one that could not be loaded is tried again when somebody asks for it. */
const loaded = new Map<string, ComponentType<ViewerProps>>();

function componentOf(definition: ViewerDefinition): ComponentType<ViewerProps> {
  const known = loaded.get(definition.type);
  if (known !== undefined) return known;
  const made = lazy(async () => {
    try {
      return { default: await definition.load() };
    } catch (cause) {
      throw new Error("It could not be loaded from the server. Try again when the server is back.", { cause });
    }
  });
  loaded.set(definition.type, made);
  return made;
}

/** A viewer's picture; or words while it is loaded, where the table does not fit it, and where it broke. */
export function ViewerBody(props: BodyProps): ReactNode {
  const { viewer } = props;
  const definition = definitionOf(viewer.type);
  const [attempt, setAttempt] = useState(0);
  if (definition === undefined) return <Words>There is no viewer {viewer.type} in this version.</Words>;
  return (
    <Guarded
      key={attempt}
      title={`${viewer.type} could not be drawn`}
      onRetry={() => {
        loaded.delete(viewer.type);
        setAttempt(attempt + 1);
      }}
    >
      <Suspense fallback={<Loading label={viewer.type} />}>
        <Drawn {...props} definition={definition} />
      </Suspense>
    </Guarded>
  );
}

function Drawn({
  view,
  viewer,
  definition,
  width,
  height,
}: BodyProps & { readonly definition: ViewerDefinition }): ReactNode {
  const { workbench } = useBench();
  const tell = useTell();
  const { table } = view;
  const columns = useTable(table, "columns");
  const look = useMemo(
    () => wholeLook(definition, table, viewer.look),
    // The columns of a table change in place; `columns` tells when.
    [definition, table, viewer.look, columns],
  );
  const change = useCallback(
    (next: Look) => {
      try {
        workbench.adjustViewer(view.id, viewer.id, next, "person");
      } catch (error) {
        tell.bad(error instanceof Error ? error.message : String(error));
      }
    },
    [workbench, view.id, viewer.id, tell],
  );
  const unfit = definition.unfit?.(table, look);
  if (unfit !== undefined) return <Words>{unfit}</Words>;
  const Viewer = componentOf(definition);
  if (width <= 0 || height <= 0) return undefined;
  return <Viewer id={viewer.id} table={table} look={look} width={width} height={height} change={change} />;
}

function Words({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 overflow-auto p-4 text-center text-sm text-soft">
      <ChartNoAxesColumn aria-hidden className="size-6 shrink-0 text-faint" />
      <p className="max-w-sm">{children}</p>
    </div>
  );
}
