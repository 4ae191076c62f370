import { SIM_LIMITS } from "./limits.ts";

/** What the demo understands. Paths are as the person wrote them. */
export type Intent =
  | { readonly want: "create"; readonly path: string; readonly content: string }
  | { readonly want: "read"; readonly path: string }
  | { readonly want: "replace"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly want: "list"; readonly path?: string | undefined; readonly pattern: string }
  | { readonly want: "search"; readonly text: string; readonly path?: string | undefined }
  | { readonly want: "run"; readonly command: string }
  | { readonly want: "todo"; readonly items: readonly string[] }
  | { readonly want: "help" }
  | { readonly want: "summary" };

type IntentReader = (request: string, lastPath: string | undefined) => Intent | undefined;

const QUOTED = "`[^`]+`|\"[^\"]+\"|'[^']+'|“[^”]+”";
const PATH = `(${QUOTED}|[^\\s"'\`,;:]+)`;
const VALUE = `(${QUOTED}|.+?)`;
const FILE_WORDS =
  "(?:a |an |the |me |my |new |empty |text |markdown )*(?:file |script |document )?(?:called |named |at )?";

const POLITE_START =
  /^(?:(?:please|pls|hey|hi|hello|ok|okay|now|sallyport|claude)[,!]?\s+|(?:can|could|would|will) you (?:please )?|i (?:want|would like|need) you to |let's |go ahead and )+/i;
const POLITE_END = /[\s,]*\b(?:please|thanks|thank you)[.!]*$/i;
const THEN = /\b(?:and )?then\b/i;

const CREATE_WITH = pattern(
  `(?:create|make|write|add|save|generate) ${FILE_WORDS}${PATH}(?: file)?,? (?:with|containing|contains|that (?:says|contains|has|reads)|saying|which says)(?: the| this)?(?: content| contents| text| line)?s?(?: in it)?\\s*:?\\s*([^]+)`,
);
const CREATE_TO = pattern(`(?:write|put|save|store|add) ([^]+?) (?:to|into|in|as) ${FILE_WORDS}${PATH}`);
const CREATE_BARE = pattern(`(?:create|make|add) ${FILE_WORDS}${PATH}`);
const READ = pattern(
  `(?:read|show|open|print|cat|display|view|explain|summari[sz]e|what(?:'s| is) in|what does) (?:me )?(?:the )?(?:contents? of )?(?:the )?(?:file )?${PATH}(?: say| contain| do)?(?: to me)?`,
);
const REPLACE = pattern(
  `(?:replace|change|swap|rename) (?:the (?:word|text|line) )?${VALUE} (?:with|by|to|into|for) ${VALUE} in (?:the )?(?:file )?${PATH}`,
);
const REPLACE_IN = pattern(
  `(?:in|edit|update|change) (?:the )?(?:file )?${PATH}[,:]? (?:please )?(?:and )?(?:replace|change|swap) (?:the (?:word|text|line) )?${VALUE} (?:with|by|to|into|for) ${VALUE}`,
);
const LIST = pattern(
  `(?:ls|dir|(?:list|show|display|what are|which are)(?: me)? (?:all )?(?:the |my )?(?:files|folder|directory)|(?:what|which) files (?:are|do)(?: there| here| we have| i have)?)(?: (?:in|of|here|there))*(?: (?:this|the|my) (?:folder|directory|project|workspace|repo))?(?: ${PATH})?`,
);
const PROJECT = pattern(
  "(?:explain|describe|what is|what's) (?:this|the|my) (?:project|folder|directory|repo|repository|workspace|code ?base)(?: about)?",
);
const FIND_FILES = pattern(
  `(?:find|list|search for|show) (?:me )?(?:all )?(?:the )?(?:files (?:named|called|like|matching) ${PATH}|(\\*\\S+)(?: files)?|(\\w+) files)`,
);
const SEARCH = pattern(
  `(?:search|grep|look|find|where is|where's)(?: for)?(?: all)?(?: occurrences of)?(?: the)?(?: text| word| string)? ${VALUE}(?: (?:used|defined|mentioned))?(?: (?:in|inside|within) (?:the |this |my |all )?(?:files?|folder|directory|project|workspace|code|repo|everything|${PATH}))?`,
);
const RUN = pattern("(?:run|execute|exec|start)\\s*:?\\s*(?:the )?(?:(?:shell )?command\\s*:?\\s*)?([^]+)");
const TODO = pattern(
  "(?:make|create|write|start|plan) (?:me )?(?:a |the )?(?:to-?do|task|plan)(?: ?list)?\\s*(?:for|with|of|about)?\\s*:?\\s*([^]+)",
);
const HELP =
  /^(?:help|hi|hello|hey|test|(?:what can|what do|how can|how do) (?:you|i)\b.*|who are you|what are you|what is (?:this|sallyport)|explain(?: yourself| this)?)$/i;
const SUMMARY = /^summari[sz]e (?:the|this|our) conversation\b/i;
const KNOWN_FILES = /^(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG|NOTICE|Procfile)$/i;

function pattern(source: string): RegExp {
  return new RegExp(`^${source}$`, "i");
}

/** What a person asks for, step by step; empty when it is not understood. */
export function readIntents(prompt: string): readonly Intent[] {
  if (SUMMARY.test(prompt)) return [{ want: "summary" }];
  if (prompt.length > SIM_LIMITS.demoPromptChars) return [];
  const request = tidy(prompt);
  const split = request.split(THEN);
  const parts = split.map((part, index) => tidy(index < split.length - 1 ? trimEnd(part) : part));
  if (parts.length > 1 && parts.length <= SIM_LIMITS.demoSteps && parts.every(balanced)) {
    const intents = readAll(parts);
    if (intents !== undefined) return intents;
  }
  return readAll([request]) ?? [];
}

function readAll(parts: readonly string[]): readonly Intent[] | undefined {
  const intents: Intent[] = [];
  let lastPath: string | undefined;
  for (const part of parts) {
    const intent = readIntent(part, lastPath);
    if (intent === undefined) return undefined;
    if ("path" in intent) lastPath = intent.path ?? lastPath;
    intents.push(intent);
  }
  return intents;
}

function tidy(text: string): string {
  const bare = text.trim().replace(POLITE_START, "");
  const start = bare.slice(0, -20);
  return start + bare.slice(start.length).replace(POLITE_END, "").trimEnd();
}

/** Without trailing punctuation. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ".!?,; \t\n\r".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function balanced(text: string): boolean {
  return ["`", '"'].every((quote) => text.split(quote).length % 2 === 1);
}

function readIntent(whole: string, lastPath: string | undefined): Intent | undefined {
  const content = readContent(whole);
  if (content !== undefined) return content;
  const request = trimEnd(whole);
  if (HELP.test(request)) return { want: "help" };
  const readers = request.length > SIM_LIMITS.demoSentenceChars ? LONG_READERS : [...LONG_READERS, ...SHORT_READERS];
  for (const reader of readers) {
    const intent = reader(request, lastPath);
    if (intent !== undefined) return intent;
  }
  return undefined;
}

const LONG_READERS: readonly IntentReader[] = [readTodo, readCreate, readRun];
const SHORT_READERS: readonly IntentReader[] = [readReplace, readList, readRead, readSearch];

function readTodo(request: string): Intent | undefined {
  const items = TODO.exec(request)?.[1]
    ?.split(/\n|,|;|\band\b/)
    .map((item) => item.replace(/^[\s\-*\d.)]+/, "").trim());
  const filled = items?.filter((item) => item !== "") ?? [];
  return filled.length === 0 ? undefined : { want: "todo", items: filled };
}

/** The text for a file extends to its last quote. */
function readContent(request: string): Intent | undefined {
  const named = CREATE_WITH.exec(request);
  if (named === null || !isPath(named[1])) return undefined;
  return { want: "create", path: unquote(named[1]), content: contentOf(named[2]) };
}

function readCreate(request: string): Intent | undefined {
  const into = CREATE_TO.exec(request);
  if (into !== null && isPath(into[2])) return { want: "create", path: unquote(into[2]), content: contentOf(into[1]) };
  const bare = CREATE_BARE.exec(request)?.[1];
  return isPath(bare) ? { want: "create", path: unquote(bare), content: "" } : undefined;
}

function readReplace(request: string, lastPath: string | undefined): Intent | undefined {
  const direct = REPLACE.exec(request);
  if (direct !== null) return replacement(direct[3], direct[1], direct[2], lastPath);
  const inside = REPLACE_IN.exec(request);
  return inside === null ? undefined : replacement(inside[1], inside[2], inside[3], lastPath);
}

function replacement(
  path: string | undefined,
  from: string | undefined,
  to: string | undefined,
  lastPath: string | undefined,
): Intent | undefined {
  const file = pathOf(path, lastPath);
  if (file === undefined || from === undefined || to === undefined) return undefined;
  return { want: "replace", path: file, from: unquote(from), to: unquote(to) };
}

function readList(request: string): Intent | undefined {
  if (PROJECT.test(request)) return { want: "list", pattern: "**/*" };
  const list = LIST.exec(request);
  if (list !== null)
    return { want: "list", pattern: "**/*", ...(list[1] === undefined ? {} : { path: unquote(list[1]) }) };
  const files = FIND_FILES.exec(request);
  if (files === null) return undefined;
  const [, named, glob, kind] = files;
  if (named !== undefined) return { want: "list", pattern: `**/${unquote(named)}` };
  if (glob !== undefined) return { want: "list", pattern: `**/${glob}` };
  return kind === undefined || /^(?:all|the|my)$/i.test(kind)
    ? undefined
    : { want: "list", pattern: `**/*.${extension(kind)}` };
}

function extension(kind: string): string {
  const known: Readonly<Record<string, string>> = {
    typescript: "ts",
    javascript: "js",
    python: "py",
    markdown: "md",
    text: "txt",
    ruby: "rb",
    rust: "rs",
  };
  return known[kind.toLowerCase()] ?? kind.toLowerCase();
}

function readRun(request: string): Intent | undefined {
  const command = RUN.exec(request)?.[1];
  if (command === undefined) return undefined;
  if (/^(?:the |my |all )*tests?$/i.test(command)) return { want: "run", command: "npm test" };
  return { want: "run", command: unquote(command) };
}

function readRead(request: string, lastPath: string | undefined): Intent | undefined {
  const path = pathOf(READ.exec(request)?.[1], lastPath);
  return path === undefined ? undefined : { want: "read", path };
}

function readSearch(request: string): Intent | undefined {
  const found = SEARCH.exec(request);
  if (found?.[1] === undefined) return undefined;
  return { want: "search", text: unquote(found[1]), ...(isPath(found[2]) ? { path: unquote(found[2]) } : {}) };
}

function pathOf(path: string | undefined, lastPath: string | undefined): string | undefined {
  if (path !== undefined && /^(?:it|that|that file|the file)$/i.test(path)) return lastPath;
  return isPath(path) ? unquote(path) : undefined;
}

/** A quoted name, or one that looks like a file. */
function isPath(text: string | undefined): text is string {
  return text !== undefined && (/^[`"'“]/.test(text) || /[./]/.test(text) || KNOWN_FILES.test(text));
}

export function unquote(text: string): string {
  const inner = /^(?:`([^`]+)`|"([^"]+)"|'([^']+)'|“([^”]+)”)$/s.exec(text.trim());
  return inner === null ? text.trim() : (inner[1] ?? inner[2] ?? inner[3] ?? inner[4] ?? "");
}

/** Text for a file: a fenced block, a quoted text or the words themselves; it ends with a line break. */
function contentOf(text: string | undefined): string {
  const fenced = /^```[^\n]*\n([^]*?)\n?```$/.exec((text ?? "").trim());
  const content = fenced?.[1] ?? unquote(text ?? "");
  return content.endsWith("\n") ? content : `${content}\n`;
}
