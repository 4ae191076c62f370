/** Hands a text, or bytes, to the browser as a file. */
export function download(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it up by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
