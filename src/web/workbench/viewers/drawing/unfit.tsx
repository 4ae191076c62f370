import type { Area } from "./figure.tsx";

/** Words instead of a picture. */
export function Unfit({ viewer, words }: { readonly viewer: Area; readonly words: string }) {
  const { width, height } = viewer;
  return (
    <p className="flex items-center justify-center p-4 text-center text-sm text-soft" style={{ width, height }}>
      {words}
    </p>
  );
}
