/** The panel's frame: header, composer, buttons. */
export const BASE = `
:host {
  display: flex;
  flex-direction: column;
  min-width: 0;
  min-height: 0;
  height: 100%;
  box-sizing: border-box;
  font: 400 var(--sallyport-font-size, 14px) / 1.5 var(--sallyport-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  color: var(--ink);
  text-align: start;
}
:host([hidden]), :host([closed]:not([dock])) { display: none; }
:host([dock]) {
  position: fixed;
  inset: 0 0 0 auto;
  z-index: var(--sallyport-layer, 1000);
  width: var(--sallyport-width, 420px);
  max-width: 100vw;
  height: auto;
}
:host([dock="left"]) { inset: 0 auto 0 0; }
:host([dock][closed]) { inset: auto 16px 16px auto; width: auto; }
:host([dock="left"][closed]) { inset: auto auto 16px 16px; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.panel {
  flex: 1;
  display: flex;
  flex-direction: column;
  min-width: 0;
  min-height: 0;
  background: var(--paper);
}
:host([dock]) .panel { border-inline-start: 1px solid var(--line); box-shadow: var(--shadow); }
:host([dock="left"]) .panel { border-inline-start: 0; border-inline-end: 1px solid var(--line); }
:host([closed]) .panel { display: none; }
.launcher { display: none; }
:host([dock][closed]) .launcher {
  display: grid;
  place-items: center;
  width: 52px;
  height: 52px;
  border: 0;
  border-radius: 50%;
  background: var(--accent);
  color: var(--accent-ink);
  box-shadow: var(--shadow);
  cursor: pointer;
}
.launcher .icon { width: 24px; height: 24px; }
h2, h3, p, ul, ol, pre, fieldset { margin: 0; padding: 0; }
.panel ul { list-style: none; }
button, input, textarea { font: inherit; color: inherit; }
.faint { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
.icon { width: 18px; height: 18px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.icon-dot { stroke-width: 5; }

header {
  display: flex;
  align-items: center;
  gap: 2px;
  min-height: 48px;
  padding-block: 6px;
  padding-inline: 16px 8px;
  border-bottom: 1px solid var(--line);
}
h2 { flex: 1; min-width: 0; font-size: 15px; font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; cursor: default; }
.icon-button {
  display: grid;
  place-items: center;
  width: 32px;
  height: 32px;
  flex: none;
  padding: 0;
  border: 0;
  border-radius: 8px;
  background: none;
  color: var(--soft);
  cursor: pointer;
}
.icon-button:hover { background: var(--raised); color: var(--ink); }
.icon-button:disabled { cursor: default; }
.button {
  min-height: 32px;
  padding: 4px 12px;
  border: 1px solid var(--strong-line);
  border-radius: 8px;
  background: var(--paper);
  font-weight: 550;
  cursor: pointer;
}
.button:hover { background: var(--raised); }
.button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
.button.danger { border-color: var(--bad); background: var(--bad); color: var(--bad-ink); }
.button.primary:hover, .button.danger:hover { filter: brightness(1.08); }
.button.quiet { border-color: transparent; background: none; color: var(--soft); }
.button.quiet:hover { color: var(--ink); background: var(--raised); }
.button:disabled { opacity: 0.6; cursor: default; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.banner { padding: 8px 16px; background: var(--warn-soft); color: var(--warn); font-size: 13px; font-weight: 550; }
.banner.notice { font-weight: 400; border-top: 1px solid var(--line); }
.middle { flex: 1; position: relative; display: flex; flex-direction: column; min-height: 0; }

.composer { padding: 8px 12px 12px; }
.composer-note { padding: 0 4px 6px; color: var(--warn); font-size: 13px; }
.box { display: flex; flex-direction: column; border: 1px solid var(--strong-line); border-radius: 14px; background: var(--paper); }
.box:focus-within { border-color: var(--focus); outline: 1px solid var(--focus); }
.composer.dropping .box { border-style: dashed; border-color: var(--accent); background: var(--accent-soft); }
.box textarea {
  display: block;
  width: 100%;
  height: 40px;
  min-height: 40px;
  max-height: 160px;
  padding: 10px 14px 4px;
  border: 0;
  border-radius: 14px;
  background: none;
  resize: none;
  outline: 0;
}
.box textarea::placeholder, .ask textarea::placeholder, .ask input::placeholder { color: var(--soft); opacity: 1; }
.tools { display: flex; align-items: center; gap: 2px; padding: 2px 6px 6px; }
.gap { flex: 1; }
.icon-button.run { margin-inline-start: 4px; border-radius: 50%; background: var(--accent); color: var(--accent-ink); }
.icon-button.run:hover { background: var(--accent); color: var(--accent-ink); filter: brightness(1.1); }
.icon-button.run:disabled { background: var(--sunken); color: var(--soft); filter: none; }
.icon-button.run.stop { background: var(--bad); color: var(--bad-ink); }
.icon-button.run.stop .icon { fill: currentColor; }
.icon-button.listening { background: var(--bad-soft); color: var(--bad); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
.box > .chips { padding: 10px 12px 0; }
.chip {
  display: inline-flex;
  align-items: center;
  gap: 6px;
  max-width: 100%;
  padding-block: 2px;
  padding-inline: 8px 4px;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--raised);
  font-size: 13px;
}
.chip .icon-button { width: 24px; height: 24px; }
.chip .icon { width: 15px; height: 15px; }
.chip-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 180px; }
.picture { max-width: 100%; border-radius: 6px; }

.history { position: absolute; inset: 0; overflow: auto; padding: 8px 12px 12px; background: var(--paper); z-index: 2; }
.history-head { display: flex; align-items: center; justify-content: space-between; padding: 4px 4px 8px; }
.history h3 { font-size: 14px; font-weight: 650; }
.history > p { padding: 8px 4px; }
.history ul { display: flex; flex-direction: column; gap: 2px; }
.history-item { display: flex; flex-direction: column; width: 100%; padding: 8px 12px; border-color: transparent; text-align: start; font-weight: 400; }
.history-item time { font-size: 12px; }
.history-title { overflow-wrap: anywhere; }
.history-foot { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-top: 8px; padding: 8px 4px 0; border-top: 1px solid var(--line); }
@media (pointer: coarse) {
  .icon-button { width: 40px; height: 40px; }
  .button { min-height: 40px; }
  .box textarea, .ask textarea, .ask input { font-size: 16px; }
}
@media (hover: none) {
  .icon-button:not(.run):hover { background: none; }
}
@media (max-width: 480px) {
  :host([dock]:not([closed])) { width: 100vw; }
}
`;
