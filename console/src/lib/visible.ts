// Control characters but tab and line feed, direction marks, characters without width, halves of surrogate pairs.
// Joiners stay: scripts and emoji are written with them.
const INVISIBLE = /(?![\t\n])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\p{Cs}/gu;

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

export type Piece = { text: string; invisible: boolean };

/** Text from data in pieces; what would be invisible, or would reorder its neighbours, becomes its name (`U+202E`). */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.replaceAll("\r\n", "\n").matchAll(INVISIBLE)) {
    if (match.index > from) pieces.push({ text: match.input.slice(from, match.index), invisible: false });
    pieces.push({ text: nameOf(match[0]), invisible: true });
    from = match.index + match[0].length;
  }
  const rest = text.replaceAll("\r\n", "\n").slice(from);
  if (rest) pieces.push({ text: rest, invisible: false });
  return pieces;
}

/** The same as one string, for titles, labels and single lines. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(INVISIBLE, (character) => `⟨${nameOf(character)}⟩`);
}

/** The first line's worth of a text, for rows of tables. */
export function oneLine(text: string, longest = 300): string {
  return visible(text.slice(0, longest).replace(/\s+/g, " ").trim());
}
