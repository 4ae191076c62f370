export interface Yard {
  readonly hasCompiler: boolean;
  readonly targets: { readonly allowed: number; readonly tcp4: number };
  readonly secrets: Readonly<Record<"token" | "database" | "output" | "engine" | "ssh" | "other" | "shared", string>>;
  write(others: object): void;
  /** The command that runs groups of attacks inside. */
  command(...groups: readonly string[]): readonly string[];
  /** What came out of the sandbox, seen from outside. */
  traces(): {
    readonly heard: readonly string[];
    readonly written: readonly string[];
    readonly setuid: readonly string[];
  };
}

export function canary(kind: string): string;
export function openYard(options: {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly server: number;
  readonly isWalled: boolean;
  readonly host?: string;
}): Promise<Yard>;
