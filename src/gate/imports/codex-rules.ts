import { Failure, LIMITS } from "../../protocol/index.ts";
import { RuleCollector, type ImportedRules } from "./rules.ts";

const EFFECT = { allow: "allow", prompt: "ask", forbidden: "deny" } as const;
/** Words that mean themselves to a shell and to a rule. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Codex's files of rules: calls of `prefix_rule` in a form of Starlark without names, operators and functions. Nothing in it is run. */
export function codexRules(text: string): ImportedRules {
  const collector = new RuleCollector();
  for (const { name, fields, line } of new RuleReader(text).calls()) {
    if (name !== "prefix_rule") collector.leaveOut(`${name}, line ${line}`, "it has no counterpart");
    else takeRule(collector, fields, line);
  }
  return collector.rules;
}

function takeRule(collector: RuleCollector, fields: ReadonlyMap<string, StarlarkValue>, line: number): void {
  const decision = fields.get("decision") ?? "allow";
  const pattern = fields.get("pattern");
  if (typeof decision !== "string" || !Object.hasOwn(EFFECT, decision))
    throw problem(line, "decision must be allow, prompt or forbidden");
  if (!Array.isArray(pattern) || pattern.length === 0) throw problem(line, "pattern must be a list of words");
  const effect = EFFECT[decision as keyof typeof EFFECT];
  for (const words of alternatives(pattern, line)) {
    const shown = words.join(" ");
    if (words.every((word) => PLAIN_WORD.test(word))) collector.add(effect, `Bash(${shown}:*)`);
    else collector.leaveOut(`${effect} ${shown}`, "its words have characters with a meaning for shells");
  }
}

/** Each way to choose one of the alternatives at each place. */
function alternatives(pattern: readonly StarlarkValue[], line: number): readonly (readonly string[])[] {
  let found: readonly (readonly string[])[] = [[]];
  for (const place of pattern) {
    const words = typeof place === "string" ? [place] : place;
    if (!words.every((word): word is string => typeof word === "string") || words.length === 0)
      throw problem(line, "a place of a pattern is a word or a list of words");
    found = found.flatMap((begun) => words.map((word) => begun.concat(word)));
    if (found.length > LIMITS.importedAlternatives)
      throw problem(line, `a pattern can stand for ${LIMITS.importedAlternatives} commands`);
  }
  return found;
}

type StarlarkValue = string | readonly StarlarkValue[];

interface StarlarkCall {
  readonly name: string;
  readonly fields: ReadonlyMap<string, StarlarkValue>;
  readonly line: number;
}

interface Token {
  readonly kind: "word" | "text" | "sign";
  readonly value: string;
  readonly line: number;
}

const TOKEN = /[ \t\r]+|#[^\n]*|(\n)|([A-Za-z_]\w*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([()[\],=])/y;
const DEPTH = 4;

class RuleReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  *calls(): Iterable<StarlarkCall> {
    while (this.#at < this.#tokens.length) {
      const { value: name, line } = this.#take("word");
      this.#sign("(");
      const fields = new Map<string, StarlarkValue>();
      while (!this.#isSign(")")) {
        const { value: key } = this.#take("word");
        this.#sign("=");
        fields.set(key, this.#value(0));
        if (!this.#isSign(")")) this.#sign(",");
      }
      this.#sign(")");
      yield { name, fields, line };
    }
  }

  #value(depth: number): StarlarkValue {
    if (!this.#isSign("[")) return this.#take("text").value;
    if (depth >= DEPTH) throw problem(this.#line, "its lists are too deep");
    this.#sign("[");
    const values: StarlarkValue[] = [];
    while (!this.#isSign("]")) {
      values.push(this.#value(depth + 1));
      if (!this.#isSign("]")) this.#sign(",");
    }
    this.#sign("]");
    return values;
  }

  get #line(): number {
    return (this.#tokens[this.#at] ?? this.#tokens.at(-1))?.line ?? 1;
  }

  #isSign(sign: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "sign" && token.value === sign;
  }

  #sign(sign: string): void {
    if (!this.#isSign(sign)) throw problem(this.#line, `${sign} is missing`);
    this.#at += 1;
  }

  #take(kind: "word" | "text"): Token {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind) throw problem(this.#line, kind === "word" ? "a name is missing" : "a text is missing");
    this.#at += 1;
    return token;
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const expression = new RegExp(TOKEN);
  let line = 1;
  while (expression.lastIndex < text.length) {
    const found = expression.exec(text);
    if (found === null) throw problem(line, "only calls with texts and lists can be read");
    const [, newline, word, quoted, sign] = found;
    if (newline !== undefined) line += 1;
    else if (word !== undefined) tokens.push({ kind: "word", value: word, line });
    else if (quoted !== undefined) tokens.push({ kind: "text", value: unquoted(quoted), line });
    else if (sign !== undefined) tokens.push({ kind: "sign", value: sign, line });
  }
  return tokens;
}

function unquoted(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\(.)/g, (_escape, character: string) => (character === "n" ? "\n" : character));
}

function problem(line: number, why: string): Failure {
  return new Failure("invalid_request", `line ${line}: ${why}`, { line });
}
