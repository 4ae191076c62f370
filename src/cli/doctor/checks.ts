/** One line of the report. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do; absent: nothing. */
  readonly advice?: string | undefined;
}

export function ok(name: string, found: string): DoctorCheck {
  return { name, state: "ok", found };
}

export function warn(name: string, found: string, advice: string): DoctorCheck {
  return { name, state: "warn", found, advice };
}

export function fail(name: string, found: string, advice: string): DoctorCheck {
  return { name, state: "fail", found, advice };
}
