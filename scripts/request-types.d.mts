/** The fields of one request type, and those of all objects within by the `type` of the object (`""`: it has none). */
export interface RequestType {
  readonly fields: readonly string[];
  readonly parts: Readonly<Record<string, readonly string[]>>;
}

export function readRequestTypes(
  sources: readonly { readonly name: string; readonly type: string; readonly file: string }[],
): Readonly<Record<string, RequestType>>;
