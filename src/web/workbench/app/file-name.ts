/** A title as a file name: without characters that systems forbid. */
export function fileName(title: string): string {
  const plain = title
    .replaceAll(/[\p{Cc}\p{Cs}"*/:<>?\\|]+/gu, " ")
    .trim()
    .replaceAll(/\s+/g, " ")
    .slice(0, 100);
  return plain.replaceAll(/^\.+|\.+$/g, "") || "picture";
}
