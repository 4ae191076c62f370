import { encode } from "uqr";
import type { ReactNode } from "react";

/** Modules around the code that cameras need. */
const QUIET = 4;

/** Dark on white in every theme: cameras want it so. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { size, data } = encode(text, { ecc: "M", border: 0 });
  const whole = size + 2 * QUIET;
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${whole} ${whole}`}
      shapeRendering="crispEdges"
      className="mx-auto size-64 rounded-lg border bg-white"
    >
      <rect width={whole} height={whole} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
