// A provider of models on this machine that speaks OpenAI's protocol: for what pages show while a model judges, embedding takes its time,
// or a key is wrong.
import { createServer } from "node:http";

const DIMENSION = 64;
const REFUSAL = {
  message: "Incorrect API key provided: sk-proj-********QX4A. Check the key, or make another in your account.",
  type: "invalid_request_error",
  code: "invalid_api_key",
};
/** How a tool says that it did not work, in the runs that are seeded. */
const WENT_WRONG = /"error"|ERROR|"warning"|"state":"failed"|no identity check|412 rows|88 412|"cancelled_at":"now"/;

export class Provider {
  static async start() {
    const provider = new Provider();
    await new Promise((resolve) => provider.server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  constructor() {
    /** Whether every question is turned away. */
    this.refuses = false;
    /** How many more texts are embedded at once; the others wait for `embedAll`. */
    this.embedsAtOnce = Number.POSITIVE_INFINITY;
    this.waiting = [];
    this.verdicts = 0;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** What a server is started with to use it: models that a project may choose, none that it has to. */
  get arguments() {
    const url = `http://127.0.0.1:${this.server.address().port}/v1`;
    const models = [
      "--llm-models",
      "openai/gpt-5.4-mini,openai/gpt-5.4",
      "--openai-base-url",
      url,
      "--llm-retries",
      "0",
    ];
    const embedder = ["--embedder", "builtin,openai/text-embedding-3-small", "--embedder-url", url];
    const batches = ["--embedder-dimension", String(DIMENSION), "--embedder-batch", "8"];
    return [...models, ...embedder, ...batches, "--judge-after", "1", "--max-attempts", "2"];
  }

  embedAll() {
    this.embedsAtOnce = Number.POSITIVE_INFINITY;
    for (const go of this.waiting.splice(0)) go();
  }

  async answer(request, response) {
    let body = "";
    for await (const piece of request) body += piece;
    const send = (status, json) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(json));
    };
    if (this.refuses) return send(401, { error: REFUSAL });
    const question = JSON.parse(body);
    if (request.url?.endsWith("/embeddings")) return send(200, await this.embeddings(question));
    const content = JSON.stringify(this.verdict(body));
    const usage = { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 };
    send(200, { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }], usage });
  }

  async embeddings({ input, model }) {
    const texts = [input].flat();
    this.embedsAtOnce -= texts.length;
    if (this.embedsAtOnce < 0) await new Promise((resolve) => this.waiting.push(resolve));
    const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
    return { object: "list", model, data, usage: { prompt_tokens: 1, total_tokens: 1 } };
  }

  /** Looks at what the tools said, as a judge should; it cannot tell of every eighth run, and errs about every ninth. */
  verdict(run) {
    const number = ++this.verdicts;
    if (number % 8 === 0) return { explanation: "No result of a tool shows it.", verdict: "unknown", confidence: 0.3 };
    const failed = WENT_WRONG.test(run.replaceAll("\\", "")) !== (number % 9 === 0);
    return failed
      ? {
          explanation: "A tool said that it did not work, and the answer promises it.",
          verdict: "fail",
          confidence: 0.9,
        }
      : { explanation: "The tools confirm what the answer says.", verdict: "pass", confidence: 0.8 };
  }

  async stop() {
    this.embedAll();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Texts with the same words lie near each other. */
function vectorOf(text) {
  const vector = new Array(DIMENSION).fill(0.01);
  for (const word of String(text).toLowerCase().split(/\W+/)) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
    vector[hash % DIMENSION] += 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
