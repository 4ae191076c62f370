/** The conversation. */
export const CHAT = `
.messages { flex: 1; position: relative; display: flex; flex-direction: column; min-height: 0; }
.log { flex: 1; min-height: 0; overflow: hidden auto; overscroll-behavior: contain; padding: 16px; scroll-behavior: auto; }
.log:focus-visible { outline-offset: -2px; }
.list { display: flex; flex-direction: column; gap: 14px; min-width: 0; }
.to-end { position: absolute; bottom: 8px; left: calc(50% - 16px); border: 1px solid var(--line); border-radius: 50%; background: var(--paper); box-shadow: var(--shadow); }
.empty { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 6px; min-height: 100%; padding: 16px 8px; text-align: center; }
.empty > .icon { width: 36px; height: 36px; color: var(--accent); stroke-width: 1.3; }
.empty-title { font-size: 16px; font-weight: 650; }
.suggestions { display: flex; flex-direction: column; gap: 8px; width: 100%; max-width: 340px; margin-top: 12px; }
.suggestion { border-color: var(--line); border-radius: 12px; padding: 8px 14px; text-align: start; font-weight: 400; }
.suggestion:hover { border-color: var(--strong-line); }
.loading { padding: 16px; color: var(--soft); text-align: center; }

.bubble {
  align-self: flex-end;
  max-width: 88%;
  padding: 8px 14px;
  border-radius: 16px; border-end-end-radius: 4px;
  background: var(--accent-soft);
  overflow-wrap: anywhere;
}
.bubble-text { white-space: pre-wrap; }
.bubble .button { margin-inline-start: -12px; }
.bubble .chips { margin-top: 6px; }
.bubble .chip { padding-inline-end: 8px; }
.bubble-note { margin-top: 2px; color: var(--soft); font-size: 12px; }
.bubble:is([data-state="queued"], [data-state="held"], [data-state="removed"]) { background: none; border: 1px dashed var(--strong-line); }
.held-row { justify-content: flex-end; }
.unsent-group { display: flex; flex-direction: column; align-items: flex-end; gap: 8px; }
.unsent-group .note { align-self: stretch; }
.unsent { background: none; border: 1px solid var(--bad); }
.over { display: flex; flex-direction: column; align-items: center; gap: 10px; padding: 8px 0; }

.answer { display: flex; flex-direction: column; gap: 8px; min-width: 0; }
.answer-body { display: flex; flex-direction: column; gap: 10px; min-width: 0; }
.answer-body:empty { display: none; }
.answer-foot { display: flex; align-items: center; gap: 8px; min-height: 28px; color: var(--soft); font-size: 12px; }
.answer-foot .cost { display: none; margin-inline-start: auto; font-variant-numeric: tabular-nums; }
.with-cost .answer-foot .cost { display: inline; }
.feedback { display: flex; align-items: center; gap: 2px; margin-inline-start: -6px; }
.feedback .icon-button { width: 28px; height: 28px; }
.feedback .icon { width: 16px; height: 16px; }
.feedback .good[aria-pressed="true"] { background: var(--ok-soft); color: var(--ok); }
.feedback .bad[aria-pressed="true"] { background: var(--bad-soft); color: var(--bad); }
.thanks { padding-inline-start: 6px; }
.note { display: flex; gap: 8px; padding: 8px 12px; border-radius: 10px; background: var(--raised); color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.note .icon { margin-top: 1px; }
.note.bad { background: var(--bad-soft); color: var(--bad); }

.waiting { display: flex; gap: 5px; padding: 8px 2px; }
.waiting i { width: 6px; height: 6px; border-radius: 50%; background: var(--strong-line); animation: breathe 1.2s infinite ease-in-out; }
.waiting i:nth-child(2) { animation-delay: 0.15s; }
.waiting i:nth-child(3) { animation-delay: 0.3s; }
@keyframes breathe { 0%, 60%, 100% { opacity: 0.3; } 30% { opacity: 1; } }

/* Code, commands and paths are never shown in another order, whatever the language. */
code, pre, kbd, .file span { direction: ltr; unicode-bidi: isolate; }
pre { text-align: left; }
.prose { min-width: 0; overflow-wrap: anywhere; }
.prose > * + * { margin-top: 10px; }
.prose h3, .prose h4, .prose h5, .prose h6 { margin: 0; font-size: 15px; font-weight: 650; line-height: 1.35; }
.prose > * + h3, .prose > * + h4 { margin-top: 16px; }
.prose ul, .prose ol { padding-inline-start: 22px; }
.prose ul { list-style: disc; }
.prose li + li, .prose li > p + p, .prose li > ul, .prose li > ol { margin-top: 4px; }
.prose blockquote { margin-inline: 0; padding-inline-start: 12px; border-inline-start: 3px solid var(--line); color: var(--soft); }
.prose hr { border: 0; border-top: 1px solid var(--line); }
.prose a { color: var(--accent); text-underline-offset: 2px; }
.prose code { padding: 1px 5px; border-radius: 5px; background: var(--sunken); font: 0.92em/1.4 var(--sallyport-mono, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace); }
.prose input[type="checkbox"] { margin: 0 6px 0 0; vertical-align: -1px; }
.code { border: 1px solid var(--line); border-radius: 10px; background: var(--sunken); overflow: hidden; }
.code-head { display: flex; align-items: center; justify-content: space-between; padding-block: 2px; padding-inline: 12px 4px; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 12px; }
.copy-code { display: inline-flex; align-items: center; gap: 5px; min-height: 26px; padding: 2px 8px; border: 0; border-radius: 6px; background: none; color: var(--soft); font-size: 12px; cursor: pointer; }
.copy-code:hover { color: var(--ink); background: var(--raised); }
.copy-code .icon { width: 14px; height: 14px; }
pre { font: 12.5px/1.5 var(--sallyport-mono, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace); }
.code pre { padding: 10px 12px; overflow: auto; max-height: 420px; }
.code pre:focus-visible { outline-offset: -2px; }
.prose .code code { padding: 0; background: none; font: inherit; }
.scroller { overflow: auto; max-height: 420px; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 5px 10px; border: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: normal; }
th { background: var(--raised); font-weight: 600; }
.align-center { text-align: center; }
.align-right { text-align: end; }

summary { display: flex; align-items: center; gap: 6px; min-height: 26px; list-style: none; cursor: pointer; border-radius: 6px; }
summary::-webkit-details-marker { display: none; }
.steps > summary { color: var(--soft); font-size: 13px; width: fit-content; max-width: 100%; padding-inline-end: 6px; }
.steps > summary:hover { color: var(--ink); }
.steps > summary > .icon { width: 14px; height: 14px; transition: transform 0.12s; }
.steps[open] > summary > .icon { transform: rotate(90deg); }
.steps-words { min-width: 0; overflow-wrap: anywhere; }
.pulse { display: none; }
.steps.running .pulse { display: block; flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--accent); animation: breathe 1.2s infinite ease-in-out; }
.steps.running .steps-words { color: var(--ink); }
.steps-list { display: flex; flex-direction: column; margin: 2px 0 0 6px; padding-inline-start: 12px; border-inline-start: 2px solid var(--line); }
.step > summary { font-size: 13px; }
.step > summary .icon { width: 14px; height: 14px; color: var(--ok); }
.step[data-status="in_progress"] > summary .icon { color: var(--accent); }
.step[data-status="failed"] > summary .icon, .step[data-status="declined"] > summary .icon { color: var(--bad); }
.step[data-status="interrupted"] > summary .icon { color: var(--soft); }
.step-words { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.step[open] .step-words { white-space: normal; overflow-wrap: anywhere; }
.step-status { margin-inline-start: auto; flex: none; color: var(--soft); font-size: 12px; }
.step-body { display: flex; flex-direction: column; gap: 6px; padding-block: 4px 8px; padding-inline: 20px 0; font-size: 12.5px; }
.step-body.thought { color: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; }
.label { color: var(--soft); font-size: 12px; }
.label code { font: 12px var(--sallyport-mono, ui-monospace, monospace); overflow-wrap: anywhere; }
.step-body pre, .ask pre { max-height: 240px; padding: 8px 10px; overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); white-space: pre-wrap; overflow-wrap: anywhere; }
.pictures { display: flex; flex-wrap: wrap; gap: 6px; }

.ask { display: flex; flex-direction: column; gap: 10px; padding: 12px; border: 1px solid var(--warn); border-radius: 12px; background: var(--paper); }
.ask.answered { gap: 6px; border-color: var(--line); }
.ask-head { display: flex; gap: 8px; color: var(--warn); }
.ask.answered .ask-head { color: var(--soft); }
.ask-head h3 { flex: 1; min-width: 0; color: var(--ink); font-size: 14px; font-weight: 650; overflow-wrap: anywhere; }
.ask-head .icon { margin-top: 1px; }
.ask p { overflow-wrap: anywhere; }
.ask.answered .long, .ask.answered .warning, .ask.answered .faint { display: none; }
.long { display: flex; flex-direction: column; align-items: flex-start; gap: 6px; min-width: 0; }
.long pre { align-self: stretch; }
.piece { display: block; }
.file { display: flex; align-items: baseline; gap: 6px; font-size: 13px; font-weight: 550; }
.file .icon { width: 15px; height: 15px; align-self: flex-start; margin-top: 2px; }
.file > span:first-of-type { flex: 1; min-width: 0; }
.file .faint { flex: none; font-weight: 400; }
.diff span { display: block; margin: 0 -10px; padding: 0 10px; }
.diff .added { background: var(--ok-soft); color: var(--ok); }
.diff .removed { background: var(--bad-soft); color: var(--bad); }
.diff .hunk { color: var(--soft); }
.warning { display: flex; gap: 6px; color: var(--warn); font-size: 13px; }
.warning .icon { width: 16px; height: 16px; margin-top: 1px; }
.ask-actions { display: flex; flex-direction: column; gap: 10px; }
.ask-reject { display: flex; flex-direction: column; align-items: flex-end; gap: 8px; }
.ask textarea, .ask input[type="text"] { width: 100%; min-height: 32px; padding: 5px 10px; border: 1px solid var(--strong-line); border-radius: 8px; background: var(--paper); resize: vertical; }
.amount { display: flex; align-items: center; gap: 4px; white-space: nowrap; }
.ask .amount input { width: 96px; }
.ask-trouble { color: var(--bad); font-size: 13px; }
.ask-outcome { color: var(--soft); font-size: 13px; }
fieldset { display: flex; flex-direction: column; gap: 6px; min-width: 0; border: 0; }
legend { margin-bottom: 6px; padding: 0; font-weight: 550; overflow-wrap: anywhere; }
.choice { display: flex; gap: 10px; align-items: flex-start; padding: 7px 10px; border: 1px solid var(--line); border-radius: 8px; }
.choice:has(:checked) { border-color: var(--accent); background: var(--accent-soft); }
.choice input[type="radio"], .choice input[type="checkbox"] { flex: none; width: 16px; height: 16px; margin: 3px 0 0; accent-color: var(--accent); }
div.choice { align-items: center; }
div.choice input[type="radio"], div.choice input[type="checkbox"] { margin: 0; }
.choice span { display: block; min-width: 0; }
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation: none !important; transition: none !important; }
}
`;
