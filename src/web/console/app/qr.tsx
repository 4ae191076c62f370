import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

/** Modules of light around the code, as cameras want it. */
const BORDER = 3;

/** A text as a QR code, dark on light in both themes. The encoder is loaded with the first one. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { data } = useQuery({
    queryKey: ["qr", text],
    queryFn: async () => (await import("uqr")).encode(text, { border: BORDER }),
    staleTime: Infinity,
    // It may hold a secret: it goes with the dialog.
    gcTime: 0,
  });
  if (data === undefined) return <div aria-hidden className="size-52 animate-pulse rounded-md bg-sunken" />;
  const dark = data.data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${data.size} ${data.size}`}
      className="size-52 rounded-md bg-white"
    >
      <path d={dark} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}
