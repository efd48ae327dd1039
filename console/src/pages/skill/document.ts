export type Statement = { text: string; memoryIds: string[] };
export type Section = { heading: string; statements: Statement[] };

const CITED = / \(memories: ([0-9a-f, -]+)\)$/;

/** The sections of a skill with what each statement stands on. Front matter and other lines are passed over. */
export function readDocument(content: string): Section[] {
  const sections: Section[] = [];
  for (const line of content.split("\n")) {
    if (line.startsWith("## ")) sections.push({ heading: line.slice(3).trim(), statements: [] });
    const cited = line.startsWith("- ") ? CITED.exec(line) : null;
    if (cited) {
      const text = line.slice(2, cited.index);
      sections.at(-1)?.statements.push({ text, memoryIds: cited[1]?.split(", ") ?? [] });
    }
  }
  return sections;
}

/** The lines of a document for comparison: ids, which say nothing to the eye, become a count. */
export function comparableLines(content: string): string[] {
  return content
    .trimEnd()
    .split("\n")
    .map((line) =>
      line.replace(CITED, (_, ids: string) => {
        const count = ids.split(", ").length;
        return ` (${count} ${count === 1 ? "memory" : "memories"})`;
      }),
    );
}
