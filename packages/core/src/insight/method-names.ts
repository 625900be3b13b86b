import { knownMethods } from "../http/methods.ts";

/** Returns a method as an attribute, after OpenTelemetry's HTTP conventions: a known method, otherwise `_OTHER`, because clients can send any name. */
export const methodAttribute = (method: string): string => (knownMethods.has(method) ? method : "_OTHER");

/** Returns a method as the first word of an operation's name, after the same conventions: a known method, otherwise `HTTP`. */
export const methodWord = (method: string): string => (knownMethods.has(method) ? method : "HTTP");
