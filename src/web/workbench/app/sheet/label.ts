/** `valueColumnName` → `Value column`, `showXAxis` → `Show X axis`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/(column)Name(s?)$/i, "$1$2")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(" ")
    .map((word) => (word.length === 1 ? word.toUpperCase() : word.toLowerCase()));
  const text = words.join(" ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
