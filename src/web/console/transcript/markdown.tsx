import { math } from "@streamdown/math";
import type { ComponentProps, ReactNode } from "react";
import { Streamdown } from "streamdown";
import "katex/dist/katex.min.css";
import { codeColours } from "./code-colours.ts";

const PLUGINS = { code: codeColours, math };
const CONTROLS = {
  code: { copy: true, download: false },
  table: { copy: true, download: false, fullscreen: false },
  mermaid: false,
  image: false,
} as const;

/** Readable on the page's own ground; the diff viewer has the same. */
const THEMES: ["github-light-high-contrast", "github-dark-high-contrast"] = [
  "github-light-high-contrast",
  "github-dark-high-contrast",
];

/** A model's link leads out of the console, and only to the web. */
function Anchor({ href, children }: ComponentProps<"a">): ReactNode {
  if (href === undefined || !/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" className="text-accent underline break-words">
      {children}
    </a>
  );
}

/** An image that a model names is not loaded: its host would learn that somebody reads this. */
function Picture({ src, alt }: ComponentProps<"img">): ReactNode {
  return <span className="text-soft">[image: {alt === undefined || alt === "" ? (src ?? "") : alt}]</span>;
}

const COMPONENTS = { a: Anchor, img: Picture };

/** A model's text. HTML in it stays text. */
export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }): ReactNode {
  return (
    <Streamdown
      className="space-y-3 leading-relaxed break-words [&_ol]:list-outside [&_ol]:pl-6 [&_ul]:list-outside [&_ul]:pl-6 [&_h1]:text-xl [&_h2]:text-lg [&_h3]:text-base [&_[data-streamdown=code-block-body]_pre]:whitespace-pre-wrap [&_[data-streamdown=code-block-body]_pre]:[overflow-wrap:anywhere]"
      mode={streaming ? "streaming" : "static"}
      parseIncompleteMarkdown={streaming}
      rehypePlugins={[]}
      plugins={PLUGINS}
      controls={CONTROLS}
      lineNumbers={false}
      components={COMPONENTS}
      shikiTheme={THEMES}
    >
      {text}
    </Streamdown>
  );
}
