/** The platform's own variables where it has them. A sheet of the document, not a style element: a strict CSP allows it. */
const STYLES = `
.sallyport-panel { display: flex; flex-direction: column; height: 100%; min-width: 220px; font: inherit; color: var(--grey-6, #4d5261); }
.sallyport-panel button { border: 0; background: none; color: inherit; font: inherit; padding: 4px 8px; border-radius: 4px; cursor: pointer; }
.sallyport-panel button:hover { background: var(--grey-1, #f2f2f5); }
.sallyport-panel button:focus-visible, .sallyport-panel textarea:focus-visible { outline: 2px solid var(--blue-1, #2083d5); }
.sallyport-panel [hidden] { display: none; }
.sallyport-header { display: flex; align-items: center; gap: 4px; padding: 4px 8px; }
.sallyport-header strong { flex: 1; }
.sallyport-output { flex: 1; overflow: auto; padding: 8px; }
.sallyport-user { margin: 8px 0 8px 24px; padding: 6px 10px; border-radius: 8px; background: var(--blue-0, #e8f1fa); white-space: pre-wrap; overflow-wrap: anywhere; }
.d4-ai-assistant-response-container { margin: 8px 0; overflow-wrap: anywhere; }
.sallyport-error { margin: 8px 0; color: var(--red-3, #b3261e); white-space: pre-wrap; }
.sallyport-steps { margin: 4px 0; font-size: 0.92em; color: var(--grey-5, #6b7080); }
.sallyport-steps ul { margin: 4px 0; padding-left: 20px; }
.sallyport-steps [data-state="failed"] { color: var(--red-3, #b3261e); }
.sallyport-code { position: relative; }
.sallyport-code pre { overflow: auto; padding: 8px; background: var(--grey-1, #f2f2f5); }
.sallyport-copy { position: absolute; top: 2px; right: 2px; }
.sallyport-panel th, .sallyport-panel td { padding: 2px 8px; border: 1px solid var(--grey-2, #dbdce0); text-align: left; }
.sallyport-panel table { border-collapse: collapse; }
.sallyport-feedback[data-rating="up"] { background: var(--green-0, #e6f4ea); }
.sallyport-feedback[data-rating="down"] { background: var(--red-0, #fce8e6); }
.sallyport-loader { padding: 4px 8px; font-size: 0.92em; color: var(--grey-5, #6b7080); }
.sallyport-input { display: flex; flex-direction: column; gap: 4px; padding: 8px; border-top: 1px solid var(--grey-2, #dbdce0); }
.sallyport-input textarea { resize: vertical; min-height: 3em; font: inherit; }
.sallyport-row { display: flex; justify-content: flex-end; gap: 4px; }
.sallyport-run[data-running="true"] { color: var(--red-3, #b3261e); }
`;

/** Once for a document. */
export function adoptStyles(target: Document): void {
  if (target.adoptedStyleSheets.some((sheet) => sheet.cssRules[0]?.cssText.startsWith(".sallyport-panel"))) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  target.adoptedStyleSheets.push(sheet);
}
