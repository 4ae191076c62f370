import { parse, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";

/**
 * Draws into an element; call the returned function to remove it. Expressions are interpreted, because the page forbids code
 * from text.
 */
export async function draw(place: HTMLElement, spec: TopLevelSpec): Promise<() => void> {
  const { spec: full } = compile(spec);
  const view = new View(parse(full, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: "svg",
    container: place,
    hover: false,
  });
  await view.runAsync();
  return () => view.finalize();
}
