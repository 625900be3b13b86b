/** Replaces a piece of a source file while it is loaded; the file on disk does not change. */
export interface Edit {
  /** Path below `packages`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A server whose requests reach a memo: the fast transport, the same with the five middlewares, or `node:http`. */
export type MemoServer = "fast" | "five" | "node";

/** A memo or shortcut of the hot path, and the edits that disable it for a measurement. */
export interface Memo {
  /** As in the tables of `packages/core/docs/memos.md`. */
  readonly name: string;
  readonly servers: readonly MemoServer[];
  readonly edits: readonly Edit[];
}

/** Every memo of the hot path, then its shortcuts: cheaper code for the common case. */
export const memos: readonly Memo[] = [
  {
    name: "head",
    servers: ["fast", "five"],
    edits: [
      {
        file: "core/src/transport/fast/fast-input.ts",
        find: "if (cached !== null && cached.readChunk(chunk, head)) return cached;",
        replace: "",
      },
    ],
  },
  {
    name: "reply-start",
    servers: ["fast", "five"],
    edits: [
      {
        file: "core/src/transport/fast/reply-heads.ts",
        find: "if (fields === this.sharedFields && status === this.sharedStatus) return this.sharedHead(length, end);",
        replace: "",
      },
    ],
  },
  {
    name: "reply-head",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/transport/fast/reply-heads.ts",
        find: "const { lengths, heads } = this;",
        replace:
          "if (true) return `${this.sharedStart}${length}\\r\\n${end}`; const { lengths, heads } = this;",
      },
    ],
  },
  {
    name: "reply-line",
    servers: ["fast", "five"],
    edits: [
      {
        file: "core/src/transport/fast/reply-heads.ts",
        find: "const cached = this.lines.get(name);",
        replace: "const cached = undefined as Line | undefined;",
      },
      {
        file: "core/src/transport/fast/reply-heads.ts",
        find: "if (line.length > MAX_LINE_LENGTH) return line;",
        replace: "if (true) return line;",
      },
    ],
  },
  {
    name: "reply-ends",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/transport/hub/connection-hub.ts",
        find: "return (this.keepAliveEnd ??= headEnd(this.date, false));",
        replace: "return headEnd(this.date, false);",
      },
    ],
  },
  {
    name: "header-name",
    servers: ["fast", "five"],
    edits: [
      {
        file: "core/src/response/header-rules.ts",
        find: "export const headerName = (name: string): string => lowerNames.get(name) ?? newName(name);",
        replace: "export const headerName = (name: string): string => newName(name);",
      },
      {
        file: "core/src/response/header-rules.ts",
        find: "if (lowerNames.size < MAX_LOWER_NAMES && name.length <= MAX_NAME_LENGTH) lowerNames.set(name, lower);",
        replace: "",
      },
    ],
  },
  {
    name: "header-value",
    servers: ["fast", "five"],
    edits: [
      {
        file: "core/src/response/header-rules.ts",
        find: "const last = lastValues.get(name);",
        replace: "const last = undefined as { value: string } | undefined;",
      },
      {
        file: "core/src/response/header-rules.ts",
        find: "if (text.length > MAX_VALUE_LENGTH) return text;",
        replace: "if (true) return text;",
      },
    ],
  },
  {
    name: "body-length",
    servers: ["fast", "five"],
    edits: [
      {
        file: "core/src/exchange/payload.ts",
        find: "if (text === last.text) return last.bytes;",
        replace: "if (true) return byteLength(text);",
      },
    ],
  },
  {
    name: "content-type",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/body/content-type.ts",
        find: "(parsed.get(value) ?? parse(value))",
        replace: "parse(value)",
      },
      {
        file: "core/src/body/content-type.ts",
        find: "if (type.boundary !== null || value.length > MAX_PARSED_LENGTH) return type;",
        replace: "if (true) return type;",
      },
    ],
  },
  {
    name: "peer",
    servers: ["five"],
    edits: [
      {
        file: "core/src/request/client-address.ts",
        find: "if (known !== undefined) return known;",
        replace: "",
      },
    ],
  },
  {
    name: "etag",
    servers: ["five"],
    edits: [
      {
        file: "etag/src/cached-tags.ts",
        find: "const known = table[slotOf(body)] as CachedTag;",
        replace: "if (true) return entityTag(body, weak); const known = table[slotOf(body)] as CachedTag;",
      },
    ],
  },
  {
    name: "log-path",
    servers: ["five"],
    edits: [
      {
        file: "logging/src/access-line.ts",
        find: "if (path === this.path && method === this.method) return this.lastText;",
        replace: "",
      },
      {
        file: "logging/src/access-line.ts",
        find: "if (text.length > MAX_CACHED) return text;",
        replace: "if (true) return text;",
      },
    ],
  },
  {
    name: "log-time",
    servers: ["five"],
    edits: [{ file: "logging/src/clock.ts", find: "if (ms === last) return text;", replace: "" }],
  },
  {
    name: "log-second",
    servers: ["five"],
    edits: [{ file: "logging/src/clock.ts", find: "if (whole !== second) {", replace: "if (true) {" }],
  },
  {
    name: "read-memory",
    servers: ["fast", "node"],
    edits: [
      {
        file: "core/src/transport/hub/direct-reading.ts",
        find: "    readIntoSharedMemory(socket);",
        replace: "",
      },
    ],
  },
  {
    name: "direct-reading",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/transport/fast/fast-connection.ts",
        find: "this.reading = new DirectReading(socket, this, host.hub.batch);",
        replace:
          "const { push } = socket;\n    this.reading = new DirectReading(socket, this, host.hub.batch);\n    socket.push = push;",
      },
    ],
  },
  {
    name: "read-batch",
    servers: ["fast", "node"],
    edits: [
      {
        file: "core/src/transport/hub/read-batch.ts",
        find: "if (!this.isEnabled && this.turn >= BUSY_TURN) this.begin();",
        replace: "",
      },
    ],
  },
  {
    name: "body-shape",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/body/json-reader.ts",
        find: "if (shape === null || length === null",
        replace: "if (true || shape === null || length === null",
      },
    ],
  },
  {
    name: "lone-request",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/transport/fast/fast-connection.ts",
        find: "else if (!this.serveLone(chunk)) {",
        replace: "else {",
      },
    ],
  },
  {
    name: "ordinary-reply",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/transport/fast/fast-reply-writer.ts",
        find: "if (this.writeOrdinary(exchange, reply)) return;",
        replace: "",
      },
      {
        file: "core/src/transport/fast/fast-reply-writer.ts",
        find: "const head = length < 0 ? null : this.ordinaryHead(exchange, reply, length);",
        replace: "const head = null as string | null;",
      },
    ],
  },
  {
    name: "output-check",
    servers: ["fast"],
    edits: [
      {
        file: "core/src/middleware/middleware.ts",
        find: 'typeof output === "object" && output !== null && typeof (output as { then?: unknown }).then === "function";',
        replace: "isPromise(output);",
      },
    ],
  },
  {
    name: "node-ordinary",
    servers: ["node"],
    edits: [
      {
        file: "core/src/transport/node/node-exchange.ts",
        find: "if (this.writeOrdinary(reply)) return;",
        replace: "",
      },
    ],
  },
];

/** Removes the named memo from a source text. @throws unless each edit matches exactly once */
export const withoutMemo = (name: string, file: string, source: string): string => {
  const memo = memos.find((one) => one.name === name);
  if (memo === undefined)
    throw new Error(`unknown memo ${name}; memos: ${memos.map((one) => one.name).join(", ")}`);
  let text = source;
  for (const { file: edited, find, replace } of memo.edits) {
    if (edited !== file) continue;
    if (text.split(find).length !== 2) throw new Error(`${file} must contain this exactly once: ${find}`);
    text = text.replace(find, () => replace);
  }
  return text;
};
