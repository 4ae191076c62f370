/** The shape of a marker around 0, 0 as an SVG path; `size` is its breadth. */
export function markerPath(type: string, size: number): string {
  const half = size / 2;
  switch (type) {
    case "square":
      return `M${-half * 0.86},${-half * 0.86} h${size * 0.86} v${size * 0.86} h${-size * 0.86} Z`;
    case "diamond":
      return `M0,${-half} L${half},0 L0,${half} L${-half},0 Z`;
    case "triangle up":
      return `M0,${-half} L${half},${half * 0.8} L${-half},${half * 0.8} Z`;
    case "triangle down":
      return `M0,${half} L${half},${-half * 0.8} L${-half},${-half * 0.8} Z`;
    case "cross":
      return `${bar(half, 45)} ${bar(half, -45)}`;
    case "plus":
      return `${bar(half, 0)} ${bar(half, 90)}`;
    case "star":
      return star(half);
    default:
      return `M${-half},0 a${half},${half} 0 1,0 ${size},0 a${half},${half} 0 1,0 ${-size},0 Z`;
  }
}

function turned(x: number, y: number, degrees: number): string {
  const angle = (degrees * Math.PI) / 180;
  return `${(x * Math.cos(angle) - y * Math.sin(angle)).toFixed(2)},${(x * Math.sin(angle) + y * Math.cos(angle)).toFixed(2)}`;
}

function bar(half: number, degrees: number): string {
  const thick = half * 0.28;
  const corners = [
    [-half, -thick],
    [half, -thick],
    [half, thick],
    [-half, thick],
  ] as const;
  return `M${corners.map(([x, y]) => turned(x, y, degrees)).join(" L")} Z`;
}

function star(half: number): string {
  const tips = Array.from({ length: 10 }, (_, tip) => turned(0, tip % 2 === 0 ? -half : -half * 0.42, tip * 36));
  return `M${tips.join(" L")} Z`;
}
