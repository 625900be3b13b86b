import { knownMethods } from "../http/methods.ts";

/** Returns the value of `http.request.method` per OpenTelemetry's HTTP semantic conventions: a known method, otherwise `_OTHER`, because clients can send any name. */
export const methodAttribute = (method: string): string => (knownMethods.has(method) ? method : "_OTHER");

/** Returns the `{method}` part of a span name per the same conventions: a known method, otherwise `HTTP`. */
export const methodInSpanName = (method: string): string => (knownMethods.has(method) ? method : "HTTP");
