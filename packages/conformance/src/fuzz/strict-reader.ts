// Above 250 lines because a second reader of the same standard must be independent: it shares no code with the transports.
import { METHODS } from "node:http";
import { isIPv6 } from "node:net";

/** One request as parsed by RFC 9112, one character per byte. */
export interface StrictRequest {
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly string[];
  /** `null` when it is malformed or incomplete. */
  readonly body: string | null;
}

/** The meaning of one connection's bytes for an app that reads every body. */
export interface StrictReading {
  readonly requests: readonly StrictRequest[];
  /** State at the end of the bytes: within or between messages, after the last message of the connection, or at a message that must be refused. */
  readonly end: "open" | "closed" | "refused";
}

/** Deviations from RFC 9112 that never change where a message begins or ends. */
export interface Deviations {
  /** `Proxy-Connection: close` read like `Connection: close`, in HTTP/1.1. */
  readonly proxyConnection: boolean;
  /** `Connection: close` among trailers: everything after the message is refused. */
  readonly closingTrailers: boolean;
  /** A tab after `Transfer-Encoding: chunked`, which is legal white space: the app gets the request, and its body fails. */
  readonly brokenByTab: boolean;
}

/** Strict RFC 9112. */
export const noDeviations: Deviations = {
  proxyConnection: false,
  closingTrailers: false,
  brokenByTab: false,
};
/** Deviations that llhttp permits without an error. */
export const asLlhttp: Deviations = {
  proxyConnection: true,
  closingTrailers: true,
  brokenByTab: true,
};

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const strictLine = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e]+) HTTP/([0-9]\\.[0-9])$`);
const fieldLine = new RegExp(`^(${TOKEN}):([\\t\\x20-\\x7e\\x80-\\xff]*)$`);
const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const chunkLine = new RegExp(`^([0-9A-Fa-f]+)(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);
const TAB_AFTER_CODING = /\r\ntransfer-encoding:[^\r]*chunked *\t/i;
const FRAMING = /^(?:content-length|transfer-encoding)$/i;
const singletons = new Set("host content-length content-type authorization origin range if-range".split(" "));
/** `PRI`, which begins HTTP/2, is a known method: its version is refused, at the end of the head. */
const methods = new Set(["PRI", ...METHODS.filter((method) => method !== "CONNECT")]);

interface Head {
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly string[];
  /** `null` for a chunked body. */
  readonly length: number | null;
  readonly closes: boolean;
}
/** A parsed value, and the index after it. */
interface Parsed<Value> {
  readonly value: Value;
  readonly at: number;
}
type Verdict = "open" | "refused";

/**
 * Parses the bytes of one connection strictly by RFC 9112: a naive, slow and independent reference for the transports.
 *
 * It checks only complete lines, so a transport may refuse a message earlier, but must never serve a message that this reader refuses.
 */
export const readStrictly = (bytes: string, deviations: Deviations): StrictReading => {
  const requests: StrictRequest[] = [];
  for (let at = 0; ;) {
    if (bytes.startsWith("\r\n", at)) at += 2;
    if (at === bytes.length) return { requests, end: "open" };
    const head = readHeadLines(bytes, at, deviations);
    if (typeof head === "string") return { requests, end: head };
    const { length, closes, ...request } = head.value;
    if (deviations.brokenByTab && TAB_AFTER_CODING.test(bytes.slice(at, head.at))) {
      requests.push({ ...request, body: null });
      return { requests, end: "closed" };
    }
    const body = length === null ? readChunks(bytes, head.at, deviations) : readBytes(bytes, head.at, length);
    requests.push({ ...request, body: typeof body === "string" ? null : body.value });
    if (typeof body === "string") return { requests, end: body === "open" ? "open" : "closed" };
    if (closes) return { requests, end: "closed" };
    ({ at } = body);
    if (body.closes) return { requests, end: /[^\r\n]/.test(bytes.slice(at)) ? "refused" : "open" };
  }
};

const readHeadLines = (bytes: string, start: number, deviations: Deviations): Parsed<Head> | Verdict => {
  const lineEnd = bytes.indexOf("\r\n", start);
  if (lineEnd === -1) return "open";
  const line = strictLine.exec(bytes.slice(start, lineEnd));
  const [, method = "", target = "", version = ""] = line ?? [];
  if (!methods.has(method)) return "refused";
  if (`${method} ${target} HTTP/1.1`.length > 8192) return "refused";
  const fields = readFieldLines(bytes, lineEnd + 2);
  if (typeof fields === "string") return fields;
  if (method === "PRI" || (version !== "1.1" && version !== "1.0")) return "refused";
  const head = parseHead(method, target, version === "1.1" ? 1 : 0, fields.value, deviations);
  return head === null ? "refused" : { value: head, at: fields.at };
};

const readFieldLines = (bytes: string, start: number): Parsed<string[]> | Verdict => {
  const fields: string[] = [];
  for (let at = start; ;) {
    const end = bytes.indexOf("\r\n", at);
    if (end === -1) return "open";
    if (end === at) return { value: fields, at: end + 2 };
    const [, name, value] = fieldLine.exec(bytes.slice(at, end)) ?? [];
    if (name === undefined || value === undefined) return "refused";
    fields.push(name, value.replaceAll(/^[ \t]+|[ \t]+$/g, ""));
    at = end + 2;
  }
};

const parseHead = (
  method: string,
  text: string,
  minor: number,
  fields: readonly string[],
  { proxyConnection }: Deviations,
): Head | null => {
  const values = byName(fields);
  const size = fields.reduce((sum, part) => sum + part.length + 2, 0);
  if (values === null || fields.length > 200 || size > 16_384) return null;
  const host = values.get("host")?.[0];
  const target = parseTarget(method, text);
  const length = bodyLength(values, minor);
  const expected = values.get("expect")?.join(", ").toLowerCase() ?? "100-continue";
  if (target === null || length === undefined || (minor === 1 && expected !== "100-continue")) return null;
  if (host === undefined ? minor === 1 : !isHost(host)) return null;
  const options = list(values.get("connection"));
  const others = proxyConnection ? list(values.get("proxy-connection")) : [];
  const isKept = minor === 1 ? !others.includes("close") : options.includes("keep-alive");
  const persists = isKept && !options.includes("close");
  return {
    method,
    target: target.path,
    authority: target.authority ?? host ?? "",
    fields: target.authority === null ? fields : replaceHost(fields, target.authority),
    length,
    closes: !persists || isHandshake(method, minor, values),
  };
};

/** Whether a request asks for WebSocket: the connection then closes after any reply except 101. */
const isHandshake = (method: string, minor: number, values: ReadonlyMap<string, string[]>): boolean =>
  method === "GET" &&
  minor === 1 &&
  (values.get("content-length")?.[0] ?? "0") === "0" &&
  !values.has("transfer-encoding") &&
  !values.has("expect") &&
  values.get("upgrade")?.join(", ").toLowerCase() === "websocket" &&
  list(values.get("connection")).includes("upgrade");

/** Returns the values by lower-case name; `null` when a field that must be unique is repeated. */
const byName = (fields: readonly string[]): Map<string, string[]> | null => {
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    const value = fields[at + 1] ?? "";
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else if (singletons.has(name)) return null;
    else known.push(value);
  }
  return values;
};

const list = (values: readonly string[] = []): string[] =>
  values
    .flatMap((value) => value.split(","))
    .map((item) => item.replaceAll(/^[ \t]+|[ \t]+$/g, "").toLowerCase());

/** `null` for a chunked body, `undefined` where the length is unknown (RFC 9112 6.3). */
const bodyLength = (values: ReadonlyMap<string, string[]>, minor: number): number | null | undefined => {
  const length = values.get("content-length")?.[0];
  const codings = values.get("transfer-encoding");
  if (codings !== undefined) {
    const isChunked = list(codings).join() === "chunked";
    return isChunked && length === undefined && minor === 1 ? null : undefined;
  }
  if (length === undefined) return 0;
  return /^[0-9]+$/.test(length) && Number.isSafeInteger(Number(length)) ? Number(length) : undefined;
};

const parseTarget = (method: string, text: string): { path: string; authority: string | null } | null => {
  if (text.includes("#")) return null;
  if (text.startsWith("/")) return { path: text, authority: null };
  if (text === "*") return method === "OPTIONS" ? { path: text, authority: null } : null;
  const [, authority, path] = /^https?:\/\/([^/?]+)(.*)$/i.exec(text) ?? [];
  if (authority === undefined || path === undefined || !isHost(authority)) return null;
  if (path === "") return { path: method === "OPTIONS" ? "*" : "/", authority };
  return { path: path.startsWith("/") ? path : `/${path}`, authority };
};

const isHost = (text: string): boolean => {
  const [, name = "", port = "0"] = /^(\[[^\]]+\]|[^:]+)(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  if (Number(port) > 65_535) return false;
  if (name.startsWith("[")) return /^\[[0-9A-Fa-f:.]+\]$/.test(name) && isIPv6(name.slice(1, -1));
  return (
    /^(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2}){1,255}$/.test(name) && URL.canParse(`http://${name}`)
  );
};

const replaceHost = (fields: readonly string[], authority: string): string[] => {
  const at = fields.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  return at === -1 ? [...fields, "Host", authority] : fields.with(at + 1, authority);
};

interface Body extends Parsed<string> {
  /** Whether its trailers forbid further messages. */
  readonly closes: boolean;
}

const readBytes = (bytes: string, at: number, length: number): Body | Verdict =>
  at + length > bytes.length
    ? "open"
    : { value: bytes.slice(at, at + length), at: at + length, closes: false };

const readChunks = (bytes: string, start: number, deviations: Deviations): Body | Verdict => {
  let extensions = 0;
  let body = "";
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return "open";
    const [, digits] = chunkLine.exec(bytes.slice(at, lineEnd)) ?? [];
    const size = Number.parseInt(digits ?? "", 16);
    if (digits === undefined || !Number.isSafeInteger(size)) return "refused";
    extensions += lineEnd - at - Math.min(digits.length, 14);
    if (extensions > 16_384) return "refused";
    const dataEnd = lineEnd + 2 + size;
    if (size === 0) {
      const trailers = readFieldLines(bytes, lineEnd + 2);
      if (typeof trailers === "string") return trailers;
      // A framing field after a chunked body is malicious (RFC 9110 6.5.1).
      const isFramed = trailers.value.some((name, index) => index % 2 === 0 && FRAMING.test(name));
      const options = deviations.proxyConnection ? /^(?:proxy-)?connection$/i : /^connection$/i;
      const closes =
        deviations.closingTrailers &&
        trailers.value.some(
          (name, index) =>
            index % 2 === 0 &&
            options.test(name) &&
            list([trailers.value[index + 1] ?? ""]).includes("close"),
        );
      return isFramed ? "refused" : { value: body, at: trailers.at, closes };
    }
    if (dataEnd + 2 > bytes.length) return "\r".startsWith(bytes.slice(dataEnd)) ? "open" : "refused";
    if (bytes.slice(dataEnd, dataEnd + 2) !== "\r\n") return "refused";
    body += bytes.slice(lineEnd + 2, dataEnd);
    at = dataEnd + 2;
  }
};
