import { useEffect } from "react";

const NAME = "found";
/** Not in the style sheet: the bundler does not know this pseudo-element yet. */
const STYLE = `::highlight(${NAME}) { background-color: var(--accent); color: var(--accent-ink); }`;
/** More ranges than a screen can show. */
const RANGES = 500;

/** Marks each match in the rendered page without changing the page. */
export function useHighlight(place: { readonly current: HTMLElement | null }, text: string): void {
  useEffect(() => {
    const element = place.current;
    // Without this browser feature the row's outline still shows the match.
    if (element === null || text === "" || !("highlights" in CSS)) return undefined;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets.push(sheet);
    let frame = 0;
    const mark = (): void => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(element, text.toLowerCase())));
    };
    const observer = new MutationObserver(() => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [place, text]);
}

function rangesOf(element: HTMLElement, wanted: string): readonly Range[] {
  const ranges: Range[] = [];
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null && ranges.length < RANGES; node = nodes.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    // A few letters change their length with their case; their places would be wrong.
    if (text.length !== node.nodeValue?.length) continue;
    for (
      let at = text.indexOf(wanted);
      at >= 0 && ranges.length < RANGES;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}
