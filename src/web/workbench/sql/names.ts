/** A table's name as SQL takes it without quotes: small letters, digits and `_`, not a digit first. */
export function identifierOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[̀-ͯ]/g, "")
    .replaceAll(/[^a-z0-9_]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  if (plain === "") return "table_1";
  return /^\d/.test(plain) || RESERVED.has(plain) ? `t_${plain}` : plain;
}

/** Words that a table cannot be called without quotes, of those that people call tables. */
const RESERVED = new Set(
  "all analyse analyze and any array as asc both case cast check collate column constraint create default deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral leading limit not null offset on only or order pivot placing primary qualify references returning select show some summarize symmetric table then to trailing true union unique unpivot using variadic when where window with".split(
    " ",
  ),
);

/** Each name with an identifier of its own, in the order of the names. */
export function identifiersOf(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = identifierOf(name);
    let identifier = plain;
    for (let number = 2; taken.has(identifier); number += 1) identifier = `${plain}_${number}`;
    taken.add(identifier);
    return identifier;
  });
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name as it can be written into a query: in quotes only where it needs them. */
export function writtenName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : quoted(name);
}

/** A table cannot have a name twice: `a`, `a (2)`. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let number = 2; taken.has(distinct); number += 1) distinct = `${name} (${number})`;
    taken.add(distinct);
    return distinct;
  });
}
