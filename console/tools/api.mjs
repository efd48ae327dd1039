// Calls of the public API.

const SCOPES = ["memory", "trace", "skill"].flatMap((thing) => [`${thing}:read`, `${thing}:write`]);
SCOPES.push("keys:write", "project:write", "project:delete");

/** A caller with a key in a project. */
export class Api {
  constructor(url, key, project) {
    Object.assign(this, { url, key, project });
  }

  in(project) {
    return new Api(this.url, this.key, project);
  }

  withKey(key) {
    return new Api(this.url, key, this.project);
  }

  get(path) {
    return this.call("GET", path);
  }

  post(path, body) {
    return this.call("POST", path, body);
  }

  patch(path, body) {
    return this.call("PATCH", path, body);
  }

  async call(method, path, body) {
    return (await this.send(method, `/v1/projects/${encodeURIComponent(this.project)}/${path}`, body)).json;
  }

  /** Any path of the server; the answer with its headers. */
  async send(method, path, body) {
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return { json: text ? JSON.parse(text) : null, headers: answer.headers };
  }

  /** The memories for a task, and the id of the retrieval. */
  async query(task, limit) {
    const path = `/v1/projects/${encodeURIComponent(this.project)}/memory/query`;
    const { json, headers } = await this.send("POST", path, { task, limit });
    return { memories: json, retrievalId: headers.get("x-retrieval-id") };
  }

  /** A new key of this project that may do everything in it. */
  async newKey(label) {
    return (await this.post("api-keys", { label, scopes: SCOPES })).api_key;
  }

  /** A session of the console, made from this caller's key: what it reviews is reviewed in the console. */
  async signIn() {
    const { json } = await this.send("POST", "/v1/sign-in", {});
    return json;
  }

  /** Waits until every lesson that is due has been written. */
  async settled() {
    for (;;) {
      // One after the other, as lessons go: one that is taken up between the two is seen by the second.
      const queued = await this.get("traces?ingest_status=queued&limit=1&view=summary");
      const working = await this.get("traces?ingest_status=processing&limit=1&view=summary");
      if (queued.length + working.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
