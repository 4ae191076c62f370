import { pcPlot } from "./pc-plot/definition.ts";
import { trellisPlot } from "./trellis-plot/definition.ts";
import { matrixPlot } from "./matrix-plot/definition.ts";
import { correlationPlot } from "./correlation-plot/definition.ts";
import { densityPlot } from "./density-plot/definition.ts";
import { heatMap } from "./heat-map/definition.ts";
import { lineChart } from "./line-chart/definition.ts";
import { pieChart } from "./pie-chart/definition.ts";
import { boxPlot } from "./box-plot/definition.ts";
import { barChart } from "./bar-chart/definition.ts";
import { histogram } from "./histogram/definition.ts";
import { scatterPlot } from "./scatter-plot/definition.ts";
import { scatterPlot3d } from "./3d-scatter-plot/definition.ts";
import { calendar } from "./calendar/definition.ts";
import { filters } from "./filters/definition.ts";
import { form } from "./form/definition.ts";
import { markup } from "./markup/definition.ts";
import { networkDiagram } from "./network-diagram/definition.ts";
import { pivotTable } from "./pivot-table/definition.ts";
import { statistics } from "./statistics/definition.ts";
import { tileViewer } from "./tile-viewer/definition.ts";
import { treeMap } from "./tree-map/definition.ts";
import { wordCloud } from "./word-cloud/definition.ts";
import type { ViewerDefinition } from "./viewer.ts";

export { checkLook, wholeLook } from "./look.ts";

/** Every type of viewer that the workbench has, in the order in which they are offered. */
export const VIEWERS: readonly ViewerDefinition[] = [
  scatterPlot,
  histogram,
  barChart,
  lineChart,
  boxPlot,
  pieChart,
  heatMap,
  densityPlot,
  correlationPlot,
  matrixPlot,
  trellisPlot,
  pcPlot,
  treeMap,
  statistics,
  pivotTable,
  form,
  filters,
  markup,
  wordCloud,
  calendar,
  networkDiagram,
  scatterPlot3d,
  tileViewer,
];

/** By its name, in any letters. */
export function definitionOf(type: string): ViewerDefinition | undefined {
  const wanted = type.trim().toLowerCase();
  return VIEWERS.find((definition) => definition.type.toLowerCase() === wanted);
}
