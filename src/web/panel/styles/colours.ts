const LIGHT = `
  color-scheme: light;
  --paper: var(--sallyport-background, #ffffff);
  --raised: var(--sallyport-surface, #f7f6f3);
  --sunken: var(--sallyport-sunken, #f1efea);
  --line: var(--sallyport-line, #e0ddd5);
  --strong-line: var(--sallyport-line-strong, #8d877b);
  --ink: var(--sallyport-text, #1d1b17);
  --soft: var(--sallyport-text-soft, #5d584e);
  --accent: var(--sallyport-accent, #7a4b12);
  --accent-ink: var(--sallyport-accent-text, #ffffff);
  --accent-soft: var(--sallyport-accent-soft, #f6ead9);
  --ok: var(--sallyport-ok, #1c6b3c);
  --ok-soft: var(--sallyport-ok-soft, #e1f3e7);
  --warn: var(--sallyport-warn, #8a5200);
  --warn-soft: var(--sallyport-warn-soft, #fdf0d8);
  --bad: var(--sallyport-bad, #a8231c);
  --bad-soft: var(--sallyport-bad-soft, #fbe6e4);
  --bad-ink: #ffffff;
  --focus: var(--sallyport-focus, #1d5a94);
  --shadow: 0 1px 2px #1d1b1714, 0 8px 28px #1d1b171f;`;

const DARK = `
  color-scheme: dark;
  --paper: var(--sallyport-background, #17161a);
  --raised: var(--sallyport-surface, #232228);
  --sunken: var(--sallyport-sunken, #111014);
  --line: var(--sallyport-line, #36343c);
  --strong-line: var(--sallyport-line-strong, #7d7a86);
  --ink: var(--sallyport-text, #ecebf0);
  --soft: var(--sallyport-text-soft, #b4b1bb);
  --accent: var(--sallyport-accent, #e3b475);
  --accent-ink: var(--sallyport-accent-text, #2a1a04);
  --accent-soft: var(--sallyport-accent-soft, #3a2e1d);
  --ok: var(--sallyport-ok, #7fd39c);
  --ok-soft: var(--sallyport-ok-soft, #17301f);
  --warn: var(--sallyport-warn, #f0bd6a);
  --warn-soft: var(--sallyport-warn-soft, #38290f);
  --bad: var(--sallyport-bad, #f39891);
  --bad-soft: var(--sallyport-bad-soft, #3d1d1b);
  --bad-ink: #2b0a08;
  --focus: var(--sallyport-focus, #8fc2f5);
  --shadow: 0 1px 2px #00000066, 0 8px 28px #00000080;`;

/** The page's own variables first; then the person's choice of light or dark, which the `theme` attribute can overrule. */
export const COLOURS = `
:host {${LIGHT}
}
:host([theme="dark"]) {${DARK}
}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="light"])) {${DARK}
  }
}
`;
