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

/** A canvas as sharp as the screen; what it shows is said elsewhere. What it showed before stays until it is drawn anew. */
export function Canvas({ width, height, draw, className }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context === null || context === undefined) return undefined;
    const begin = (): ReturnType<Draw> => {
      const ratio = globalThis.devicePixelRatio || 1;
      context.canvas.width = Math.max(1, Math.round(width * ratio));
      context.canvas.height = Math.max(1, Math.round(height * ratio));
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      return draw(context, ratio);
    };
    return paint(begin);
  }, [width, height, draw]);
  return <canvas ref={canvas} aria-hidden="true" className={className} style={{ width, height }} />;
}

interface Picture {
  readonly begin: () => ReturnType<Draw>;
  /** Absent: it has not begun. */
  steps?: Generator<void, void>;
}

/** All canvases of the page share the time of a frame: a viewer may have many. */
const painter = { waiting: new Set<Picture>(), request: 0, until: 0 };

/** Draws now if there is time in this frame, else in one of the next. The answer stops it. */
function paint(begin: Picture["begin"]): () => void {
  const picture: Picture = { begin };
  painter.waiting.add(picture);
  if (painter.request === 0) {
    painter.until = performance.now() + FRAME;
    painter.request = requestAnimationFrame(nextFrame);
  }
  paintWaiting();
  return () => {
    painter.waiting.delete(picture);
  };
}

function nextFrame(): void {
  painter.until = performance.now() + FRAME;
  paintWaiting();
  painter.request = painter.waiting.size === 0 ? 0 : requestAnimationFrame(nextFrame);
}

function paintWaiting(): void {
  for (const picture of painter.waiting) {
    if (!isDrawn(picture)) return;
    painter.waiting.delete(picture);
  }
}

/** False: the time of this frame is over. */
function isDrawn(picture: Picture): boolean {
  while (performance.now() < painter.until) {
    if (picture.steps === undefined) {
      const steps = picture.begin();
      if (steps === undefined) return true;
      picture.steps = steps;
    } else if (picture.steps.next().done === true) return true;
  }
  return false;
}
