// Above 250 lines: the client, and the parser of its received bytes, which the client uses to wait for replies.
import { connect, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";

/** One reply as received. */
export interface RawReply {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** By lower-case name; repeated fields joined with `, `. */
  readonly fields: ReadonlyMap<string, string>;
  /** Latin-1, one character per byte; chunks joined. */
  readonly body: string;
  /** Whether the body ended as its framing requires. */
  readonly complete: boolean;
  /** Missing bytes of the body's `Content-Length`; 0 if unknown. */
  readonly missing: number;
}

/** A client that writes exact bytes and parses strictly. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything received so far, one character per byte. */
  readonly received: string;
  /** Whether the server has closed its side, or the connection is closed. */
  readonly closed: boolean;
  /** Whether the connection ended with a reset. */
  readonly reset: boolean;
  /** Writes bytes, given one character per byte; resolves when the system has accepted them. */
  send(bytes: string): Promise<void>;
  /** Half-closes. */
  end(): void;
  destroy(): void;
  /** Resolves with everything received once `isEnough` returns true. @throws after a minute, or if the connection closes first */
  until(isEnough: (received: string) => boolean): Promise<string>;
  /** Resolves with everything received once the server has closed its side. */
  untilClosed(): Promise<string>;
  /** Resolves with the replies once `count` of them are complete. */
  replies(count: number, methods?: readonly string[]): Promise<RawReply[]>;
}

/** Milliseconds after which a test stops waiting; generous for loaded machines. */
export const MAX_WAIT_MS = 60_000;

/** Options of `connectRaw`. */
export interface RawClientOptions {
  /** Whether the client keeps its side of the connection open after the server has closed the other side. @default false */
  readonly staysOpen?: boolean;
  /** Certificate of a server with TLS. @default a connection without TLS */
  readonly ca?: string | undefined;
}

/** Contexts by certificate: creating one takes as long as a handshake. At most one for each TLS server of a test file. */
const contexts = new Map<string, SecureContext>();

const contextOf = (ca: string): SecureContext => {
  const context = contexts.get(ca) ?? createSecureContext({ ca });
  contexts.set(ca, context);
  return context;
};

/** Connects a client to a port of 127.0.0.1. */
export const connectRaw = async (port: number, options: RawClientOptions = {}): Promise<RawClient> => {
  const address = { port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true };
  const { ca } = options;
  const socket =
    ca === undefined
      ? connect(address)
      : connectTls({ ...address, secureContext: contextOf(ca), servername: "localhost" });
  await new Promise<void>((resolve, reject) => {
    socket.once(ca === undefined ? "connect" : "secureConnect", resolve);
    socket.once("error", reject);
  });
  return rawClient(socket, options);
};

/** Creates a client over an open connection. */
export const rawClient = (socket: Socket, { staysOpen = false }: RawClientOptions = {}): RawClient => {
  let received = "";
  let closed = false;
  let reset = false;
  const checks = new Set<() => void>();
  const changed = (): void => checks.forEach((check) => check());
  const close = (): void => {
    closed = true;
    changed();
  };
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    changed();
  });
  socket.on("end", () => {
    close();
    if (!staysOpen) socket.end();
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    reset ||= error.code === "ECONNRESET";
    close();
  });
  socket.on("close", close);

  const wait = (isDone: () => boolean, subject: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        checks.delete(check);
        clearTimeout(timer);
        settle();
      };
      const check = (): void => {
        if (isDone()) finish(() => resolve(received));
        else if (closed)
          finish(() => reject(new Error(`closed before ${subject}: ${JSON.stringify(received)}`)));
      };
      const timer = setTimeout(
        () =>
          finish(() =>
            reject(new Error(`no ${subject} in time: ${JSON.stringify(received.slice(0, 2000))}`)),
          ),
        MAX_WAIT_MS,
      );
      checks.add(check);
      check();
    });

  return {
    socket,
    get received() {
      return received;
    },
    get closed() {
      return closed;
    },
    get reset() {
      return reset;
    },
    send: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else socket.write(Buffer.from(bytes, "latin1"), () => resolve());
      }),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    until: (isEnough) => wait(() => isEnough(received), "enough bytes"),
    untilClosed: () => wait(() => closed, "end of the connection"),
    replies: async (count, methods) => {
      // Parsing a long reply, or the replies before the last one, at each chunk would take minutes.
      let enough = 1;
      let at = 0;
      const whole: RawReply[] = [];
      const isEnough = (): boolean => {
        if (received.length < enough && !closed) return false;
        const finals = whole.filter(({ status }) => status >= 200).length;
        const found = parsePrefix(received.slice(at), closed, methods?.slice(finals));
        whole.push(...found.replies.filter(({ complete }) => complete));
        at += found.length;
        enough = received.length + Math.max(found.replies.at(-1)?.missing ?? 1, 1);
        return whole.length >= count;
      };
      await wait(isEnough, `${count} replies`);
      return parseReplies(received, closed, methods);
    },
  };
};

/** Parses received bytes by the rules of RFC 9112 6.3, including `100 Continue`; `methods` are the methods of the requests. */
export const parseReplies = (
  received: string,
  closed: boolean,
  methods: readonly string[] = [],
): RawReply[] => parsePrefix(received, closed, methods).replies;

/** Parses replies, and returns the number of bytes before the first incomplete one. */
const parsePrefix = (
  received: string,
  closed: boolean,
  methods: readonly string[] = [],
): { replies: RawReply[]; length: number } => {
  const replies: RawReply[] = [];
  let length = 0;
  let rest = received;
  let finals = 0;
  while (rest !== "") {
    const reply = parseReply(rest, closed, methods[finals] ?? "GET");
    if (reply === null) break;
    if (reply.reply.status >= 200) finals++;
    replies.push(reply.reply);
    rest = reply.rest;
    if (reply.reply.complete) length = received.length - rest.length;
  }
  return { replies, length };
};

const parseReply = (
  text: string,
  closed: boolean,
  method: string,
): { reply: RawReply; rest: string } | null => {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [line = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const [, version = "", status = "", reason = ""] = /^(HTTP\/\d\.\d) (\d{3}) ?(.*)$/.exec(line) ?? [];
  if (version === "") throw new Error(`not a status line: ${JSON.stringify(line.slice(0, 200))}`);
  const fields = new Map<string, string>();
  for (const field of lines) {
    const [, name = "", value = ""] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/.exec(field) ?? [];
    if (name === "") throw new Error(`not a field: ${JSON.stringify(field)}`);
    const previous = fields.get(name.toLowerCase());
    fields.set(name.toLowerCase(), previous === undefined ? value : `${previous}, ${value}`);
  }
  const code = Number(status);
  const {
    body,
    rest,
    complete,
    missing = 0,
  } = parseBody(text.slice(headEnd + 4), fields, closed, hasNoBody(code, method));
  return { reply: { version, status: code, reason, fields, body, complete, missing }, rest };
};

const hasNoBody = (status: number, method: string): boolean =>
  status < 200 || status === 204 || status === 304 || method === "HEAD";

interface ParsedBody {
  readonly body: string;
  readonly rest: string;
  readonly complete: boolean;
  readonly missing?: number;
}

const parseBody = (
  text: string,
  fields: ReadonlyMap<string, string>,
  closed: boolean,
  isBodiless: boolean,
): ParsedBody => {
  if (isBodiless) return { body: "", rest: text, complete: true };
  if (fields.has("transfer-encoding")) return parseChunks(text);
  const length = fields.get("content-length");
  if (length === undefined) return { body: text, rest: "", complete: closed };
  if (!/^\d+$/.test(length)) throw new Error(`not a length: ${length}`);
  const end = Number(length);
  return {
    body: text.slice(0, end),
    rest: text.slice(end),
    complete: text.length >= end,
    missing: end - text.length,
  };
};

const parseChunks = (text: string): ParsedBody => {
  let body = "";
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd === -1) return { body, rest: "", complete: false };
    const sizeText = text.slice(at, lineEnd);
    if (!/^[0-9a-fA-F]+$/.test(sizeText))
      throw new Error(`not a chunk size: ${JSON.stringify(sizeText.slice(0, 40))}`);
    const size = Number.parseInt(sizeText, 16);
    const dataEnd = lineEnd + 2 + size;
    if (text.length < dataEnd + 2)
      return { body: body + text.slice(lineEnd + 2, dataEnd), rest: "", complete: false };
    if (text.slice(dataEnd, dataEnd + 2) !== "\r\n") throw new Error("a chunk does not end with CRLF");
    if (size === 0) return { body, rest: text.slice(dataEnd + 2), complete: true };
    body += text.slice(lineEnd + 2, dataEnd);
    at = dataEnd + 2;
  }
};
