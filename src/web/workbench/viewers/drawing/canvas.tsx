import { useEffect, useRef } from "react";

/** Draws in CSS pixels. A generator draws in steps, a frame each, so that the page stays answerable. */
type Draw = (context: CanvasRenderingContext2D, ratio: number) => void | Generator<void, void>;

/** How long one frame may draw before it gives way, milliseconds. */
const FRAME = 12;

interface CanvasProps {
  readonly width: number;
  readonly height: number;
  /** The same function draws the same picture: make it with useCallback. */
  readonly draw: Draw;
  readonly className?: string | undefined;
}

/** A canvas as sharp as the screen; what it shows is said elsewhere. */
export function Canvas({ width, height, draw, className }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context === null || context === undefined) return undefined;
    const ratio = globalThis.devicePixelRatio || 1;
    context.canvas.width = Math.max(1, Math.round(width * ratio));
    context.canvas.height = Math.max(1, Math.round(height * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return drawn(draw, context, ratio);
  }, [width, height, draw]);
  return <canvas ref={canvas} aria-hidden="true" className={className} style={{ width, height }} />;
}

/** The answer stops it. */
function drawn(draw: Draw, context: CanvasRenderingContext2D, ratio: number): () => void {
  const steps = draw(context, ratio);
  if (steps === undefined) return () => undefined;
  let request = 0;
  const frame = (): void => {
    const until = performance.now() + FRAME;
    while (performance.now() < until) if (steps.next().done === true) return;
    request = requestAnimationFrame(frame);
  };
  frame();
  return () => {
    cancelAnimationFrame(request);
  };
}
