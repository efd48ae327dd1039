// Fills a project of a running server: `node tools/seed.mjs --url http://127.0.0.1:8000 --key … --project demo [--large]`.
import { parseArgs } from "node:util";
import { Api } from "./api.mjs";
import { seedDemo } from "./seed/demo.mjs";
import { seedLarge } from "./seed/large.mjs";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8000" },
    key: { type: "string", default: process.env.REFLECT_API_KEY },
    project: { type: "string", default: "demo" },
    large: { type: "boolean", default: false },
  },
});
if (!values.key) throw new Error("name a key with --key or REFLECT_API_KEY");
const api = new Api(values.url, values.key, values.project);
// Someone else's clock cannot be set: all of it happens today.
await (values.large ? seedLarge(api) : seedDemo(api));
