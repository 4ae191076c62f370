/** A title as the name of a file: without signs that systems forbid. */
export function fileName(title: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = title
    .replaceAll(/[\u0000-\u001F"*/:<>?\\|]+/g, " ")
    .trim()
    .replaceAll(/\s+/g, " ")
    .slice(0, 100);
  return plain.replaceAll(/^\.+|\.+$/g, "") || "picture";
}
