const DOTTED = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
const UNSAFE =
  'Error: unsafe expression. Only dotted identifiers like "grok.chem" are allowed. Use search_js_api_sources for anything else.';
const NOTHING = "Error: expression evaluated to null/undefined.";

/** Bounds: steps of one expression, classes above an object that are examined, and members that are listed. */
const STEPS = 32;
const CLASSES = 32;
const MEMBERS = 2_000;

/** They lead from any object to its constructor. */
const HIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/**
 * The keys of what a dotted expression names. It is resolved step by step without running the page's code: getters are not
 * called.
 */
export function membersOf(names: Readonly<Record<string, unknown>>, expression: string): string {
  const wanted = expression.trim();
  if (wanted === "") return "Error: expression is required.";
  const steps = wanted.split(".");
  if (!DOTTED.test(wanted) || steps.length > STEPS) return UNSAFE;
  try {
    let value: unknown = names;
    for (const [index, step] of steps.entries()) {
      const found = dataOf(value, step);
      if (found === "computed") {
        const path = steps.slice(0, index + 1).join(".");
        return `Error evaluating expression: ${path} is computed by the page and is not read here.`;
      }
      value = found?.value;
      if (value === null || value === undefined) return NOTHING;
    }
    return JSON.stringify(Object.keys(Object(value)).slice(0, MEMBERS));
  } catch (error) {
    return `Error evaluating expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A member of an object or of its classes, but not one that all objects have. */
function dataOf(value: unknown, name: string): { readonly value: unknown } | "computed" | undefined {
  if (!isObject(value) || HIDDEN.has(name)) return undefined;
  let holder: object | null = value;
  for (let level = 0; level <= CLASSES && holder !== null && !isBuiltIn(holder); level += 1) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    if (descriptor !== undefined) return "value" in descriptor ? { value: descriptor.value } : "computed";
    holder = Object.getPrototypeOf(holder) as object | null;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Members that every object or function has, also in another frame, say nothing about the page. */
function isBuiltIn(holder: object): boolean {
  return Object.hasOwn(holder, "hasOwnProperty") || holder === Function.prototype || holder === Array.prototype;
}
