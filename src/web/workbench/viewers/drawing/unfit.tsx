/** Words instead of a picture. */
export function Unfit({
  width,
  height,
  words,
}: {
  readonly width: number;
  readonly height: number;
  readonly words: string;
}) {
  return (
    <p className="flex items-center justify-center p-4 text-center text-sm text-soft" style={{ width, height }}>
      {words}
    </p>
  );
}
