/** By kind. */
export const DRIVERS: Readonly<Record<string, unknown>>;
export const CONTROL: string;
export function hasOwnKernel(kind: string): boolean;
export function isOwnKernels(row: { readonly attack: string }): boolean;
