import { type HttpRequest, type Key, key, type Response } from "@framework/core";
import type { LoggingConfig } from "./logging-config.ts";
import { type Redaction, withoutQuery } from "./redaction.ts";

/** Optional members of a line: header fields and bodies. */
export interface Details {
  /** Starts recording the request body; called before the request is handled. */
  watch(request: HttpRequest): void;
  /** Returns the members after the request was handled. @param reply `null` if the client disconnected before it */
  of(request: HttpRequest, reply: Response | null): Readonly<Record<string, unknown>>;
}

type DetailOptions = Pick<LoggingConfig, "logHeaders" | "logBody" | "maxLoggedBodyBytes">;

/** Creates the details; `null` if no option enables them. */
export const createDetails = (options: DetailOptions, redaction: Redaction): Details | null => {
  const { logHeaders, logBody, maxLoggedBodyBytes } = options;
  if (logHeaders === false && !logBody) return null;
  const names = Array.isArray(logHeaders)
    ? new Set(logHeaders.map((name: string) => name.toLowerCase()))
    : null;
  const headersOf = (headers: Iterable<readonly [string, string]>): Record<string, unknown> =>
    redaction.fields(
      Object.fromEntries(
        [...headers]
          .filter(([name]) => names?.has(name) ?? true)
          .map(([name, value]) => [name, withoutQuery(value)]),
      ),
    );
  return {
    watch(request) {
      if (logBody && isLoggable(request)) request.context.set(Body, tapBody(request, maxLoggedBodyBytes));
    },
    of(request, reply) {
      const details: Record<string, unknown> = {};
      if (logHeaders !== false) {
        details["request_headers"] = headersOf(request.headers);
        if (reply !== null) details["response_headers"] = headersOf(reply.headers);
      }
      if (!logBody) return details;
      const body = request.context.get(Body);
      if (body !== null && body.length > 0)
        details["request_body"] = bodyMember(
          body.text(),
          body.length,
          request.getHeader("content-type"),
          maxLoggedBodyBytes,
          redaction,
        );
      const isSent = request.method !== "HEAD"; // a handler of GET also answers HEAD, without its body
      if (isSent && typeof reply?.payload === "string" && reply.payload !== "") {
        const { payload, contentType } = reply;
        details["response_body"] = bodyMember(
          payload,
          Buffer.byteLength(payload),
          contentType,
          maxLoggedBodyBytes,
          redaction,
        );
      }
      return details;
    },
  };
};

/** The first bytes of a body, recorded while the handler reads it. */
interface Tap {
  readonly length: number;
  text(): string;
}

const Body: Key<Tap | null> = key<Tap | null>("logged_body", null);

const isLoggable = (request: HttpRequest): boolean =>
  request.contentLength !== 0 &&
  request.getHeader("content-encoding") === null &&
  kindOf(request.getHeader("content-type")) !== null;

const kindOf = (contentType: string | null): "json" | "form" | null => {
  if (contentType === null) return null;
  if (/^\s*application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return "json";
  return /^\s*application\/x-www-form-urlencoded\b/i.test(contentType) ? "form" : null;
};

/** Copies chunks up to the bound while the handler reads the body. */
const tapBody = (request: HttpRequest, maxBytes: number): Tap => {
  const recorded: Uint8Array[] = [];
  let length = 0;
  async function* passing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (length < maxBytes) recorded.push(chunk.slice(0, maxBytes - length));
      length += chunk.byteLength;
      yield chunk;
    }
  }
  request.decodeBody(passing);
  return {
    get length() {
      return length;
    },
    text: () => Buffer.concat(recorded).toString(),
  };
};

/** Redaction needs the whole body, so only the size of a longer one is logged. */
const bodyMember = (
  text: string,
  length: number,
  contentType: string | null,
  maxBytes: number,
  redaction: Redaction,
): unknown => {
  const kind = kindOf(contentType);
  if (kind === null || length > maxBytes) return `[${length} bytes]`;
  try {
    return redaction.value(kind === "json" ? JSON.parse(text) : new URLSearchParams(text));
  } catch {
    return `[${length} bytes, malformed]`; // a body that cannot be parsed cannot be redacted
  }
};
