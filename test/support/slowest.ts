import type { Reporter, TestModule } from "vitest/node";

const SHOWN = 10;

/** Says at the end which files took longest, so that nobody has to look for what makes the tests slow. */
export class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((file) => ({
        path: file.relativeModuleId,
        ms: file.diagnostic().duration + file.diagnostic().collectDuration,
      }))
      .toSorted((left, right) => right.ms - left.ms)
      .slice(0, SHOWN);
    if (modules.length <= SHOWN) return;
    process.stdout.write(`\nThe slowest ${String(SHOWN)} files:\n`);
    for (const { path, ms } of files) process.stdout.write(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${path}\n`);
  }
}
