import type { HttpRequest } from "@framework/core";
import { Trace } from "@framework/core/feature";
import { milliseconds } from "./clock.ts";
import { truncate, jsonString, printable, escapeInvisible } from "./json-string.ts";
import { withoutCredentials } from "./redaction.ts";

/** Outcome of a request, as logged. */
export interface Outcome {
  /** 499 when the client disconnected before the reply. */
  readonly status: number;
  readonly latencyMs: number;
  /** Bytes of the body that were sent; `null` when unknown. */
  readonly bytes: number | null;
  readonly aborted: boolean;
  /** Error that ended the body early, else `null`. */
  readonly error: string | null;
  /** Additional members by name, else `null`. */
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** Formats the line of one request, newline included. */
export type AccessLine = (request: HttpRequest, outcome: Outcome) => string;

/** Level of a status: `error` for 5xx, `warn` for 4xx, else `info`. */
export const levelOf = (status: number): "info" | "warn" | "error" =>
  status >= 500 ? "error" : status >= 400 ? "warn" : "info";

/** Formats JSON lines. Built by hand: pino takes two to three times as long for the same members (`bench:log-lines`). */
export const jsonAccessLine = (iso: () => string): AccessLine => {
  const headOf = lineHeads();

  return (request, { status, latencyMs, bytes, aborted, error, details }) => {
    const { method, path, route, requestId, clientIp, httpVersion, context } = request;
    const head = headOf(route, status);
    let line = head.text + iso() + head.subject(method, path) + milliseconds(latencyMs);
    if (requestId !== null) line = `${line},"request_id":${jsonString(requestId)}`;
    if (clientIp !== null) line = `${line},"client_ip":"${clientIp}"`;
    if (httpVersion === "2") line += ',"http_version":"2"';
    if (bytes !== null) line = `${line},"bytes":${bytes}`;
    const trace = context.get(Trace);
    if (trace !== null)
      line += `,"trace_id":${jsonString(trace.traceId)},"span_id":${jsonString(trace.spanId)}`;
    if (aborted) line += ',"aborted":true';
    if (error !== null) line += `,"error":${escapeInvisible(JSON.stringify(withoutCredentials(error)))}`;
    if (details !== null) line += members(details);
    return `${line}}\n`;
  };
};

/** Cached parts of lines, for one route and status. */
class LineHead {
  /** From the start of the line to the timestamp. */
  readonly text: string;
  private method = "";
  private path = "";
  private lastText = "";

  constructor(route: string | null, status: number) {
    const member = route === null ? "" : `"route":${jsonString(route)},`;
    this.text = `{"level":"${levelOf(status)}","status":${status},${member}"timestamp":"`;
  }

  /** From the timestamp to the latency, for the last path. Saves 4 % of the instructions of a request with five features (callgrind). */
  subject(method: string, path: string): string {
    if (path === this.path && method === this.method) return this.lastText;
    const text = `","method":"${token(method)}","path":${jsonString(path)},"latency":`;
    if (text.length > MAX_CACHED) return text;
    this.method = method;
    this.path = path;
    this.lastText = text;
    return text;
  }
}

const MAX_CACHED = 256;

/** Returns a cache of line heads by route and status; bounded by the routes and status codes of the program. */
const lineHeads = () => {
  const byRoute = new Map<string | null, Map<number, LineHead>>();
  return (route: string | null, status: number): LineHead => {
    let heads = byRoute.get(route);
    if (heads === undefined) byRoute.set(route, (heads = new Map()));
    let head = heads.get(status);
    if (head === undefined) heads.set(status, (head = new LineHead(route, status)));
    return head;
  };
};

/** A method needs no JSON escapes (RFC 9110 9.1), but may be long. */
const token = (method: string): string => (method.length <= 32 ? method : truncate(method, 32));

const MAX_DETAILS = 8192;

/** The members of `logHeaders` and `logBody`, bounded to keep a record below 16 KiB. */
const members = (details: Readonly<Record<string, unknown>>): string => {
  let text = "";
  for (const [name, value] of Object.entries(details)) {
    const json = asciiJson(value);
    text += `,"${name}":${json.length + text.length > MAX_DETAILS ? '"[too long]"' : json}`;
  }
  return text;
};

/** JSON in printable ASCII: its length in bytes equals its length in characters, and terminals do not interpret it. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`;
const colourStatus = (status: number): string => {
  const code = status >= 500 ? 31 : status >= 400 ? 33 : status >= 300 ? 36 : 32;
  return `\u001b[${code}m${status}\u001b[39m`;
};

/** Formats text lines: `[timestamp] METHOD path -> status (latency)`. */
export const textAccessLine =
  (iso: () => string, colours: boolean): AccessLine =>
  ({ method, path }, { status, latencyMs, aborted, error, details }) => {
    const time = colours ? dim(`[${iso()}]`) : `[${iso()}]`;
    const statusText = colours ? colourStatus(status) : `${status}`;
    let line = `${time} ${printable(truncate(method))} ${printable(truncate(path))} -> ${statusText} (${milliseconds(latencyMs)} ms)`;
    if (aborted) line += " aborted";
    if (error !== null) line += ` error=${printable(withoutCredentials(error))}`;
    for (const [name, value] of Object.entries(details ?? {})) line += ` ${name}=${asciiJson(value)}`;
    return `${line}\n`;
  };
