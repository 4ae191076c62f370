import { createElement, useImperativeHandle, useLayoutEffect, useRef, type ReactNode, type Ref } from "react";
import { definePanel, type PanelEvents, type PanelOptions, type SallyportPanel } from "./index.ts";

export type { SallyportPanel } from "./index.ts";

export interface SallyportPanelViewProps extends PanelOptions {
  readonly ref?: Ref<SallyportPanel> | undefined;
  readonly className?: string | undefined;
  /** Absent: the system's setting. */
  readonly theme?: "light" | "dark" | undefined;
  /** `en`, `de` or `ar`. Absent: the language of the element around it. */
  readonly lang?: string | undefined;
  /** At the edge of the window, over the page. Absent: inline. */
  readonly dock?: "left" | "right" | undefined;
  readonly onSession?: ((detail: PanelEvents["sallyport-session"]) => void) | undefined;
  readonly onAnswer?: ((detail: PanelEvents["sallyport-answer"]) => void) | undefined;
  readonly onFeedback?: ((detail: PanelEvents["sallyport-feedback"]) => void) | undefined;
  readonly onToggle?: ((detail: PanelEvents["sallyport-toggle"]) => void) | undefined;
}

const NAME = "sallyport-panel";

/** The panel as a component. Functions may change with every render; another client, context or page restarts it, other tools do not. */
export function SallyportPanelView(props: SallyportPanelViewProps): ReactNode {
  const { client, live, contextId, title, placeholder, shortcut, className, theme, lang, dock, ref } = props;
  const element = useRef<SallyportPanel>(null);
  const latest = useRef(props);
  const page = props.page?.page;
  const tools = props.page?.tools;
  useImperativeHandle(ref, () => element.current as SallyportPanel, []);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useLayoutEffect(() => {
    const panel = element.current;
    if (panel === null) return undefined;
    definePanel(NAME);
    panel.connect(optionsOf(latest));
    return () => panel.disconnect();
  }, [client, live, contextId, page, title, placeholder, shortcut, lang]);
  useLayoutEffect(() => {
    if (tools !== undefined) element.current?.setTools(tools);
  }, [tools]);
  useLayoutEffect(() => listen(element.current, latest), []);
  return createElement(NAME, { ref: element, class: className, theme, lang, dock });
}

/** The newest functions at each call. */
function optionsOf(latest: { readonly current: PanelOptions }): PanelOptions {
  const { firstPrefix, shownPrompt } = latest.current;
  return {
    ...latest.current,
    session: () => latest.current.session(),
    describe: (tool, input) => latest.current.describe?.(tool, input),
    // Whether there is a prefix decides how a first prompt is shown.
    firstPrefix: firstPrefix === undefined ? undefined : () => latest.current.firstPrefix?.(),
    shownPrompt: shownPrompt === undefined ? undefined : (text) => latest.current.shownPrompt?.(text) ?? text,
  };
}

const HANDLERS = {
  "sallyport-session": "onSession",
  "sallyport-answer": "onAnswer",
  "sallyport-feedback": "onFeedback",
  "sallyport-toggle": "onToggle",
} as const;

function listen(panel: SallyportPanel | null, latest: { readonly current: SallyportPanelViewProps }): () => void {
  const leave = new AbortController();
  for (const [name, prop] of Object.entries(HANDLERS))
    panel?.addEventListener(
      name,
      (event) => (latest.current[prop] as ((detail: unknown) => void) | undefined)?.((event as CustomEvent).detail),
      { signal: leave.signal },
    );
  return () => leave.abort();
}
