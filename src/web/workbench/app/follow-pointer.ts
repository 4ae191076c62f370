import type { PointerEvent } from "react";

/** From a press on a handle until it ends: how far the pointer has moved since, CSS pixels. Only the main button counts. */
export function followPointer(
  event: PointerEvent<HTMLElement>,
  onMoved: (by: { readonly x: number; readonly y: number }) => void,
): void {
  if (event.button !== 0) return;
  event.preventDefault();
  const handle = event.currentTarget;
  handle.setPointerCapture(event.pointerId);
  handle.focus();
  const { clientX, clientY } = event;
  const onMove = (next: globalThis.PointerEvent): void =>
    onMoved({ x: next.clientX - clientX, y: next.clientY - clientY });
  const onEnd = (): void => {
    handle.removeEventListener("pointermove", onMove);
    handle.removeEventListener("lostpointercapture", onEnd);
  };
  handle.addEventListener("pointermove", onMove);
  handle.addEventListener("lostpointercapture", onEnd);
}
