/** One test, in the form in which the platform's test manager reads it from `package-test.js`. */
export interface RegisteredTest {
  readonly category: string;
  readonly name: string;
  readonly test: () => Promise<void>;
  readonly options: { readonly timeout: number };
}

export interface TestCategory {
  readonly tests: RegisteredTest[];
}

/** One row of the table that the platform reads. */
export interface TestResult {
  readonly category: string;
  readonly name: string;
  readonly success: boolean;
  /** `OK`, or what went wrong. */
  readonly result: string;
  readonly ms: number;
  readonly skipped: boolean;
  readonly logs: string;
}

/** How long one test may take unless it says otherwise, ms. */
const TEST_MS = 30_000;

/** All tests of the package, by category. */
export const tests: Record<string, TestCategory> = {};

export function category(name: string, tell: (test: (name: string, run: () => Promise<void>) => void) => void): void {
  const into = (tests[name] ??= { tests: [] });
  tell((test, run) => into.tests.push({ category: name, name: test, test: run, options: { timeout: TEST_MS } }));
}

export interface Wanted {
  readonly category?: string | undefined;
  readonly test?: string | undefined;
}

/** Runs those that are wanted, one after the other: they share one connection and one shell. */
export async function runTests(wanted: Wanted = {}): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const registered of Object.values(tests).flatMap((entry) => entry.tests)) {
    const isWanted =
      (!wanted.category || registered.category.startsWith(wanted.category)) &&
      (!wanted.test || registered.name === wanted.test);
    if (isWanted) results.push(await runOne(registered));
  }
  return results;
}

async function runOne({ category, name, test, options }: RegisteredTest): Promise<TestResult> {
  const began = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${options.timeout} ms`)), options.timeout);
  });
  let result = "OK";
  try {
    await Promise.race([test(), late]);
  } catch (error) {
    result = error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
  const ms = Math.round(performance.now() - began);
  return { category, name, success: result === "OK", result, ms, skipped: false, logs: "" };
}

/** Compares by content. */
export function expectEqual(actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`expected ${should}, got ${is}`);
}

export async function expectRejected(work: Promise<unknown>, words: string): Promise<void> {
  const said = await work.then(
    () => "nothing was wrong",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (!said.includes(words)) throw new Error(`expected "${words}", got "${said}"`);
}
