/** By kind. */
export const DRIVERS: Readonly<Record<string, unknown>>;
export const CONTROL: string;
