// Leaves the built console, each file compressed, where the server's crate takes it from. What has not changed is not written, so
// that nothing is built anew for it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const BUILT = new URL("../dist", import.meta.url).pathname;
const PACKED = new URL("../../crates/reflect-console/built", import.meta.url).pathname;

const wanted = new Map(
  filesBelow(BUILT).map((path) => [`${relative(BUILT, path)}.gz`, gzipSync(readFileSync(path), { level: 9 })]),
);
for (const path of filesBelow(PACKED)) {
  const name = relative(PACKED, path);
  if (name !== ".gitignore" && !wanted.has(name)) rmSync(path);
}
for (const [name, bytes] of wanted) {
  const path = join(PACKED, name);
  if (existsSync(path) && readFileSync(path).equals(bytes)) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
