export type TokenKind = "plain" | "comment" | "string" | "number" | "keyword" | "call";
export type Token = { kind: TokenKind; text: string };

// Words of the languages that agents write most: Python, JavaScript, SQL, Rust, Go, shell.
const KEYWORDS = new Set(
  (
    "and as async await begin between break by case catch class const continue create def default delete do drop elif else end " +
    "enum except export extends false finally fn for from func function group having if impl import in insert inner interface " +
    "into is join lambda left let like limit match mod mut new nil none not null on or order outer pass pub raise return right " +
    "select self set static struct switch table then this throw trait true try type union update use values var when where " +
    "while with yield distinct desc asc fi done echo package undefined"
  ).split(" "),
);

// In this order: comments, strings, numbers, words. `#` opens a comment only where a line or a gap does.
const TOKENS =
  /(\/\*[\s\S]*?\*\/|(?<![:\w])\/\/[^\n]*|(?<=^|\s)--\s[^\n]*|(?<=^|\s)#[^\n]*)|("""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b)|([A-Za-z_]\w*)/gm;

/** Longer texts stay plain: they are read as data, not as code. */
const LONGEST = 20_000;

/** Splits code into coloured tokens, well enough for any common language. Joined, they are the text again. */
export function highlight(code: string): Token[] {
  if (code.length > LONGEST) return [{ kind: "plain", text: code }];
  const tokens: Token[] = [];
  let from = 0;
  const push = (kind: TokenKind, text: string) => {
    const last = tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text) tokens.push({ kind, text });
  };
  for (const match of code.matchAll(TOKENS)) {
    const [text, comment, string, number] = match;
    push("plain", code.slice(from, match.index));
    from = match.index + text.length;
    if (comment !== undefined) push("comment", text);
    else if (string !== undefined) push("string", text);
    else if (number !== undefined) push("number", text);
    else if (KEYWORDS.has(text.toLowerCase())) push("keyword", text);
    else push(code[from] === "(" ? "call" : "plain", text);
  }
  push("plain", code.slice(from));
  return tokens;
}
