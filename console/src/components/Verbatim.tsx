import { visiblePieces } from "@/lib/visible";

/** Text from data, as text. Control characters and direction marks are shown by their names. */
export function Verbatim({ text }: { text: string }) {
  return visiblePieces(text).map((piece, index) =>
    piece.invisible ? (
      <span
        key={index}
        title="An invisible character"
        className="mx-px rounded bg-warn-soft px-1 font-mono text-[0.8em] text-warn"
      >
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
