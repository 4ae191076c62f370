import { LIMITS } from "../protocol/index.ts";
import { OTHER } from "./labels.ts";

interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The series of one metric, by the values of its labels. */
class Series<Point> {
  readonly #family: Family;
  readonly #make: () => Point;
  readonly #points = new Map<string, readonly [labels: string, point: Point]>();

  constructor(family: Family, make: () => Point) {
    this.#family = family;
    this.#make = make;
  }

  at(values: readonly string[]): Point {
    const key = values.join("\u0000");
    const known = this.#points.get(key);
    if (known !== undefined) return known[1];
    const full = this.#points.size >= LIMITS.metricSeries;
    const others = this.#family.labels.map(() => OTHER);
    if (full && key !== others.join("\u0000")) return this.at(others);
    const point = this.#make();
    this.#points.set(key, [
      this.#family.labels.map((label, place) => pair(label, values[place] ?? "")).join(","),
      point,
    ]);
    return point;
  }

  all(): Iterable<readonly [labels: string, point: Point]> {
    return this.#points.values();
  }
}

/** Only grows. */
export class Counter {
  readonly #family: Family;
  readonly #series: Series<{ value: number }>;

  constructor(family: Family) {
    this.#family = family;
    this.#series = new Series(family, () => ({ value: 0 }));
  }

  add(amount: number, values: readonly string[]): void {
    this.#series.at(values).value += amount;
  }

  text(): string {
    let text = head(this.#family, "counter");
    for (const [labels, { value }] of this.#series.all()) text += line(this.#family.name, labels, value);
    return text;
  }
}

interface Distribution {
  /** One more than there are bounds: the last has none. */
  readonly counts: number[];
  sum: number;
}

/** The distribution of values over fixed bounds. */
export class Histogram {
  readonly #family: Family;
  readonly #bounds: readonly number[];
  /** The last part of each bucket's labels. */
  readonly #upTo: readonly string[];
  readonly #series: Series<Distribution>;

  constructor(family: Family, bounds: readonly number[]) {
    this.#family = family;
    this.#bounds = bounds;
    this.#upTo = [...bounds.map(String), "+Inf"].map((bound) => pair("le", bound));
    this.#series = new Series(family, () => ({ counts: Array<number>(bounds.length + 1).fill(0), sum: 0 }));
  }

  record(value: number, values: readonly string[]): void {
    const point = this.#series.at(values);
    let place = 0;
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place += 1;
    point.counts[place] = (point.counts[place] ?? 0) + 1;
    point.sum += value;
  }

  text(): string {
    const { name } = this.#family;
    let text = head(this.#family, "histogram");
    for (const [labels, { counts, sum }] of this.#series.all()) {
      const before = labels === "" ? "" : `${labels},`;
      let total = 0;
      counts.forEach((count, place) => {
        total += count;
        text += line(`${name}_bucket`, `${before}${this.#upTo[place] ?? ""}`, total);
      });
      text += line(`${name}_sum`, labels, sum) + line(`${name}_count`, labels, total);
    }
    return text;
  }
}

/** A current number. `counter`: one that only grows. */
export function readingText(
  family: { readonly name: string; readonly help: string; readonly type: "gauge" | "counter" },
  samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[],
): string {
  let text = head(family, family.type);
  for (const [labels, value] of samples) {
    const pairs = Object.entries(labels).map(([label, of]) => pair(label, of));
    text += line(family.name, pairs.join(","), value);
  }
  return text;
}

/** The distribution of recent values by quantiles; sum and count are of all time. */
export function summaryText(
  family: { readonly name: string; readonly help: string },
  {
    quantiles,
    sum,
    count,
  }: {
    readonly quantiles: readonly (readonly [quantile: number, value: number])[];
    readonly sum: number;
    readonly count: number;
  },
): string {
  let text = head(family, "summary");
  for (const [quantile, value] of quantiles) text += line(family.name, pair("quantile", String(quantile)), value);
  return text + line(`${family.name}_sum`, "", sum) + line(`${family.name}_count`, "", count);
}

function head({ name, help }: Pick<Family, "name" | "help">, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
}

function pair(label: string, value: string): string {
  return `${label}="${value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')}"`;
}
