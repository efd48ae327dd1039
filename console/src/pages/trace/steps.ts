export type Role = "system" | "user" | "assistant" | "tool" | "other";

export type Part =
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | { kind: "call"; name: string; id: string | null; input: unknown }
  | { kind: "result"; id: string | null; failed: boolean; output: unknown }
  | { kind: "media"; what: string; source: string }
  | { kind: "other"; value: unknown };

/** One message of a trajectory, whichever provider's shape it came in. */
export type Step = { role: Role; name: string | null; parts: Part[]; raw: Message };
export type Message = Record<string, unknown>;

const ROLES: Record<string, Role> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Arguments come as JSON in a text, as an object, or as a text that is no JSON; the last stays a text. */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || value.length > 500_000) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function media(part: Message): Part {
  const holder = [part.image_url, part.source, part.file, part.input_audio, part].find(isObject) ?? part;
  const source = text(part.image_url) ?? text(holder.url) ?? text(holder.data) ?? text(holder.file_id) ?? "";
  return { kind: "media", what: text(part.type) ?? "file", source };
}

function contentPart(part: unknown): Part {
  if (typeof part === "string") return { kind: "text", text: part };
  if (!isObject(part)) return { kind: "other", value: part };
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return { kind: "text", text: text(part.text) ?? "" };
    case "thinking":
    case "reasoning":
      return { kind: "thinking", text: text(part.thinking) ?? text(part.text) ?? JSON.stringify(part.summary ?? part) };
    case "tool_use":
      return { kind: "call", name: text(part.name) ?? "tool", id: text(part.id), input: part.input };
    case "tool_result":
      return {
        kind: "result",
        id: text(part.tool_use_id),
        failed: part.is_error === true,
        output: singleText(part.content),
      };
    case "image":
    case "image_url":
    case "input_image":
    case "input_audio":
    case "file":
    case "document":
      return media(part);
    default:
      return typeof part.text === "string" ? { kind: "text", text: part.text } : { kind: "other", value: part };
  }
}

/** Content that is one text part is that text. */
function singleText(content: unknown): unknown {
  const [only, ...rest] = Array.isArray(content) ? content : [];
  if (rest.length === 0 && isObject(only) && typeof only.text === "string") return only.text;
  return content;
}

function calls(message: Message): Part[] {
  const list = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  if (isObject(message.function_call)) list.push({ function: message.function_call });
  return list.map((call) => {
    const called = isObject(call.function) ? call.function : call;
    const input = called.arguments ?? called.args ?? called.input;
    return { kind: "call", name: text(called.name) ?? "tool", id: text(call.id), input: parsed(input) };
  });
}

function stepOf(message: Message): Step {
  const type = message.type;
  if (type === "function_call" || type === "tool_call") {
    const name = text(message.name) ?? "tool";
    const input = parsed(message.arguments ?? message.input);
    return {
      role: "assistant",
      name: null,
      parts: [{ kind: "call", name, id: text(message.call_id), input }],
      raw: message,
    };
  }
  if (type === "function_call_output") {
    const output = singleText(message.output);
    return {
      role: "tool",
      name: null,
      parts: [{ kind: "result", id: text(message.call_id), failed: false, output }],
      raw: message,
    };
  }
  const role = ROLES[String(message.role ?? "").toLowerCase()] ?? (type === "reasoning" ? "assistant" : "other");
  const name = text(message.name);
  const { content } = message;
  if (role === "tool") {
    const id = text(message.tool_call_id);
    return { role, name, parts: [{ kind: "result", id, failed: false, output: singleText(content) }], raw: message };
  }
  const parts = (Array.isArray(content) ? content : content == null ? [] : [content]).map(contentPart);
  if (typeof message.refusal === "string") parts.push({ kind: "text", text: message.refusal });
  const all = [...parts.filter((part) => part.kind !== "text" || part.text), ...calls(message)];
  const results = all.length > 0 && all.every((part) => part.kind === "result");
  if (all.length === 0 && role === "other") all.push({ kind: "other", value: message });
  return { role: results ? "tool" : role, name, parts: all, raw: message };
}

const known = new WeakMap<Message, Step>();

/** Reads a message when it is needed, once: trajectories can have ten thousand of them. */
export function step(message: Message): Step {
  let made = known.get(message);
  if (!made) {
    made = stepOf(message);
    known.set(message, made);
  }
  return made;
}

/** What a step is, in a few words. */
export function stepWords({ role, name, parts }: Step): string {
  const called = parts.flatMap((part) => (part.kind === "call" ? part.name : []));
  if (called.length > 0) return `${role} calls ${called.join(", ")}`;
  return name ? `${role} ${name}` : role;
}
