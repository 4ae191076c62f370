import { SallyportPanel } from "./element.ts";

export { SallyportPanel } from "./element.ts";
export type { PanelEvents, PanelOptions, PanelPage } from "./options.ts";

/** Registers the element, once. Another name gets a class of its own. */
export function definePanel(name = "sallyport-panel"): void {
  // Without a browser there is nothing to define.
  const { customElements } = globalThis as { readonly customElements?: CustomElementRegistry };
  if (customElements === undefined || customElements.get(name) !== undefined) return;
  const isTaken = customElements.getName(SallyportPanel) !== null;
  customElements.define(name, isTaken ? class extends SallyportPanel {} : SallyportPanel);
}
